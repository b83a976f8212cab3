// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Downloads of files with several addresses.
extension DownloadCommand {
    /// Refuses options that do not apply.
    func checkMirrors() throws(UsageError) {
        guard let option = parts.mirrors.given else { return }
        let unfit = [
            (parts.range != nil, "--range"), (options.takesAnyStatus, "--any-status"),
            (options.waitsForCredentials, "--wait-for-credentials"), (options.method != nil, "-X"),
        ].filter(\.0).map(\.1)
        if let other = unfit.first { throw UsageError("\(other) cannot be used with \(option)") }
        guard parts.mirrors.metalink != nil else {
            guard operands.count == 1, operands != ["-"] else {
                throw UsageError("--mirror is for one URL: hand over several files separately")
            }
            guard !takesRemoteName else {
                throw UsageError(
                    "--remote-header-name cannot be used with --mirror: each server may give another name, so name the file with -o"
                )
            }
            return
        }
        let named = [
            (!operands.isEmpty, "a URL"), (checksum != nil, "--checksum"), (checksums != nil, "--checksums"),
            (takesRemoteName, "--remote-header-name"), (!query.isEmpty, "--get"),
        ].filter(\.0).map(\.1)
        if let other = named.first {
            throw UsageError("--metalink says where the files are, and what they are: leave out \(other)")
        }
        let trusting = [
            (options.user != nil, "--user"), (options.curl.certificate != nil, "--cert"),
            (options.curl.key != nil, "--key"), (options.curl.acceptsAnyCertificate, "--insecure"),
        ].filter(\.0).map(\.1)
        if let other = trusting.first { throw Self.unfitForMetalink(other) }
    }

    /// Refuses header fields that may be secrets, if there is a Metalink.
    func checkMetalinkHeaders(_ headers: [HeaderField]) throws(UsageError) {
        guard parts.mirrors.metalink != nil else { return }
        guard let secret = headers.first(where: { !HarmlessHeaders.travels($0.name) }) else { return }
        throw Self.unfitForMetalink("the header \(secret.name.redactedControls)")
    }

    /// An option that is meant for one server must not apply to the server that a document names first.
    private static func unfitForMetalink(_ option: String) -> UsageError {
        UsageError(
            "the Metalink names the servers, and \(option) would apply to the first of them, whichever that is: leave it out, and use --netrc, which has names and passwords for each host"
        )
    }

    /// The further addresses of the file.
    func mirrors(of url: RequestURL, isObject: Bool) throws -> MirrorList? {
        guard !parts.mirrors.mirrors.isEmpty else { return nil }
        guard !isObject else { throw UsageError("--mirror is for files of http and https, not for s3://") }
        return MirrorList(
            try [url] + parts.mirrors.mirrors.map { text throws(CommandFailure) in try HostName.url(text) }
        )
    }

    /// The files of a Metalink, each with its target.
    func places(ofMetalink name: String, _ context: CommandContext) throws -> [Place] {
        let path = try context.absolute(name)
        let bytes = try FileBytes.read(path, limit: MetalinkDocument.longest, mayWait: true)
        let files: [MetalinkFile]
        do throws(MetalinkReader.Mistake) { files = try MetalinkDocument.files(of: bytes) } catch {
            throw CommandFailure("\(path.redactedControls) cannot be used: \(error.text).", .usage)
        }
        guard outputs.isEmpty || outputs.count == files.count else {
            throw UsageError("the Metalink has \(Format.count(files.count, "file")) and there are \(outputs.count) -o")
        }
        var taken: Set<String> = []
        return try files.enumerated().map { index, file in
            let place = try place(of: file, output: outputs.isEmpty ? nil : outputs[index], context)
            guard taken.insert(place.path).inserted else {
                throw UsageError("two files of the Metalink would both be written to \(place.path): name them with -o")
            }
            return place
        }
    }

    private func place(of file: MetalinkFile, output: String?, _ context: CommandContext) throws -> Place {
        let shown = file.name.redactedControls
        var urls: [RequestURL] = []
        // Addresses of protocols other than http and https, such as ftp, are for other programs.
        for text in file.urls { if let url = try? HostName.url(text), !urls.contains(url) { urls.append(url) } }
        guard let first = urls.first else {
            throw CommandFailure("'\(shown)' has no http or https address in the Metalink.", .usage)
        }
        guard let name = file.safeName else {
            throw CommandFailure("'\(shown)' cannot be the name of a file: the Metalink is not used.", .usage)
        }
        if file.checksum == nil, !options.isQuiet {
            let what = file.hasOtherHashes ? "only hashes other than SHA-256" : "no SHA-256"
            context.output.complain("offstage: \(shown): the Metalink has \(what), so its content is not checked.")
        }
        // checked: our own limit
        let list = MirrorList(Array(urls.prefix(MirrorList.mostMirrors + 1)), size: file.size)
        let path = try target(output ?? name, of: first, context)
        return Place(url: first, path: path, awaitsName: false, mirrors: list, checksum: file.checksum)
    }
}

extension TransferSpec {
    /// Gives a download its other addresses.
    ///
    /// - Throws: `CommandFailure` if it cannot have them.
    mutating func setMirrors(_ list: MirrorList?) throws(CommandFailure) {
        guard let list else { return }
        mirrors = list
        do throws(RequestError) { try validate() } catch { throw CommandFailure(error.sentence, .usage) }
    }
}
