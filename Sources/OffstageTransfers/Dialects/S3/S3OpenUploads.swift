// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// A page of the multipart uploads that are open in a bucket
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html).
package struct S3OpenUploads: Sendable, Equatable {
    package struct Upload: Sendable, Equatable {
        package var key: String
        package var id: String
        /// When it was begun; nil if the server does not state it.
        package var begun: Date?
    }

    package var uploads: [Upload] = []
    /// Nil after the last page.
    package var next: S3UploadMarker?

    /// Reads an answer; nil if it is not such a page, or states that the next page begins where this one did.
    ///
    /// - Parameters:
    ///   - body: the answer's body.
    ///   - marker: where the page should begin.
    package init?(_ body: [UInt8], after marker: S3UploadMarker?) {
        guard let root = XMLElement.root(of: body), root.name == "ListMultipartUploadsResult" else { return nil }
        // XML could not represent all keys without this encoding.
        let isEncoded = root.value("EncodingType") == "url"
        func text(_ element: XMLElement, _ name: String) -> String? {
            element[name].map { isEncoded ? URLEncodedForm.decodeValue($0.text) : $0.text }
        }
        for element in root.children where element.name == "Upload" {
            guard let key = text(element, "Key"), (1...S3UploadMarker.longestKey).contains(key.utf8.count),
                let id = element.value("UploadId"), S3UploadMarker.isID(id)
            else { continue }
            uploads.append(Upload(key: key, id: id, begun: element.value("Initiated").flatMap(Self.date)))
        }
        guard root.value("IsTruncated") == "true" else { return }
        let next = S3UploadMarker(
            key: text(root, "NextKeyMarker") ?? "",
            upload: root.value("NextUploadIdMarker") ?? ""
        )
        guard next != marker, next.isSound else { return nil }
        self.next = next
    }

    private static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        let date =
            (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        return date.flatMap { CalendarDates.range.contains($0) ? $0 : nil }
    }
}
