// SPDX-License-Identifier: Apache-2.0

import CYAML

/// libyaml's parser for bytes that outlive it.
struct EventStream: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>

    /// `bytes` are UTF-8 without a byte order mark.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(SyntaxFailure) {
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw SyntaxFailure(problem: "libyaml found no memory")
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// The next event; nil at the end of the stream.
    func next() throws(SyntaxFailure) -> Event? {
        var raw = yaml_event_t()
        guard yaml_parser_parse(parser, &raw) == 1 else { throw SyntaxFailure(parser.pointee) }
        defer { yaml_event_delete(&raw) }
        return Event(raw)
    }
}

struct Event {
    enum Kind {
        case documentStart
        case scalar(String, isPlain: Bool)
        case sequenceStart(isFlow: Bool)
        case mappingStart(isFlow: Bool)
        case collectionEnd
        case alias(String)
        /// An event that does not affect the tree.
        case other
    }

    var kind: Kind
    var span: SourceSpan
    var anchor: String?
    var tag: String?

    fileprivate init?(_ raw: yaml_event_t) {
        span = SourceSpan(
            start: SourceMark(raw.start_mark), end: SourceMark(raw.end_mark))
        let data = raw.data
        switch raw.type {
        case YAML_STREAM_END_EVENT:
            return nil
        case YAML_DOCUMENT_START_EVENT:
            kind = .documentStart
        case YAML_SCALAR_EVENT:
            let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
            kind = .scalar(
                String(decoding: bytes, as: UTF8.self),
                isPlain: data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
            anchor = Self.text(data.scalar.anchor)
            tag = Self.text(data.scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            kind = .sequenceStart(isFlow: data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE)
            anchor = Self.text(data.sequence_start.anchor)
            tag = Self.text(data.sequence_start.tag)
        case YAML_MAPPING_START_EVENT:
            kind = .mappingStart(isFlow: data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
            anchor = Self.text(data.mapping_start.anchor)
            tag = Self.text(data.mapping_start.tag)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            kind = .collectionEnd
        case YAML_ALIAS_EVENT:
            kind = .alias(Self.text(data.alias.anchor) ?? "")
        default:
            kind = .other
        }
    }

    private static func text(_ bytes: UnsafeMutablePointer<UInt8>?) -> String? {
        bytes.map { String(cString: $0) }
    }
}

extension SourceMark {
    /// libyaml counts from 0.
    init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
    }
}
