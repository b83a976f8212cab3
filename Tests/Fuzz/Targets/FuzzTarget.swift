// SPDX-License-Identifier: Apache-2.0

/// One way for outside bytes into Offstage: whatever they are, it must neither trap nor break a promise.
package struct FuzzTarget: Sendable {
    /// Its name for `scripts/fuzz --target`, and its corpus's folder.
    package let name: String
    /// Processes one input; a broken promise ends the process, as a trap does.
    package let run: @Sendable (UnsafeRawBufferPointer) -> Void

    init(_ name: String, _ run: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
        self.name = name
        self.run = run
    }

    package static let all: [FuzzTarget] = [
        FuzzTarget("app-life", AppLifeTarget.run),
        FuzzTarget("bus-message", BusMessageTarget.run),
        FuzzTarget("command-line", CommandLineTarget.run),
        FuzzTarget("dropbox-upload", DropboxUploadTarget.run),
        FuzzTarget("emulator", EmulatorTarget.run),
        FuzzTarget("gcs-upload", GCSUploadTarget.run),
        FuzzTarget("info-plist", InfoPlistTarget.run),
        FuzzTarget("journal", JournalTarget.run),
        FuzzTarget("metalink", MetalinkTarget.run),
        FuzzTarget("netlink", NetlinkTarget.run),
        FuzzTarget("offered-upload", UploadDialectTarget.runOffered),
        FuzzTarget("page-request", PageRequestTarget.run),
        FuzzTarget("proc-file", ProcFileTarget.run),
        FuzzTarget("redirect-request", RedirectRequestTarget.run),
        FuzzTarget("response-head", ResponseHeadTarget.run),
        FuzzTarget("resumable-upload", UploadDialectTarget.runResumable),
        FuzzTarget("s3-download", S3DownloadTarget.run),
        FuzzTarget("s3-upload", S3UploadTarget.run),
        FuzzTarget("secrets", SecretTarget.run),
        FuzzTarget("server-inquiry", ServerInquiryTarget.run),
        FuzzTarget("settings", SettingsTarget.run),
        FuzzTarget("store-record", StoreRecordTarget.run),
        FuzzTarget("task-schedule", TaskScheduleTarget.run),
        FuzzTarget("token-answer", TokenAnswerTarget.run),
        FuzzTarget("transfer-machine", TransferMachineTarget.run),
        FuzzTarget("transfer-spec", TransferSpecTarget.run),
        FuzzTarget("tus-upload", UploadDialectTarget.runTus),
        FuzzTarget("url", URLTarget.run),
        FuzzTarget("wire-frame", WireFrameTarget.run),
        FuzzTarget("wire-request", WireRequestTarget.run),
    ]
}
