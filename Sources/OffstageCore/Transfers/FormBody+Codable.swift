// SPDX-License-Identifier: Apache-2.0

extension FormBody: Codable {
    private enum CodingKeys: String, CodingKey { case boundary, parts }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            parts: try container.decode([Part].self, forKey: .parts),
            boundary: try container.decode(String.self, forKey: .boundary)
        )
        // A thousand lengths, each valid, may add up to an overflow.
        let length = sources.reduce(Int64(0)) { $0.addingClamped($1.identity.size) }
        guard ByteCounts.range.contains(length) else {
            throw DecodingError.dataCorruptedError(
                forKey: .parts,
                in: container,
                debugDescription: "the files of the form are too large to be counted"
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(boundary, forKey: .boundary)
        try container.encode(parts, forKey: .parts)
    }
}

/// Stored as one flat object without absent members, because a form may have a thousand parts.
extension FormBody.Part: Codable {
    private enum CodingKeys: String, CodingKey { case name, value, file, fileName, type }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let content: Content =
            if let value = try container.decodeIfPresent(String.self, forKey: .value) {
                .value(value)
            } else {
                .file(try container.decode(TransferSpec.UploadSource.self, forKey: .file))
            }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            content: content,
            fileName: try container.decodeIfPresent(String.self, forKey: .fileName),
            contentType: try container.decodeIfPresent(String.self, forKey: .type)
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        switch content {
        case .value(let value): try container.encode(value, forKey: .value)
        case .file(let source): try container.encode(source, forKey: .file)
        }
        try container.encodeIfPresent(fileName, forKey: .fileName)
        try container.encodeIfPresent(contentType, forKey: .type)
    }
}
