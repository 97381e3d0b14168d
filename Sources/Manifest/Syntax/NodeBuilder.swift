// SPDX-License-Identifier: Apache-2.0

/// The limits of a manifest's contents, so that reading takes bounded time, stack and memory.
enum NodeLimits {
    /// The maximum nesting, including that of aliases.
    static let depth = 64
    /// The maximum number of values, including the contents of aliases.
    static let values = 100_000
}

/// Builds the tree of a stream with one document.
struct NodeBuilder {
    private let source: SourceText
    private let bag: DiagnosticBag
    private var frames: [Frame] = []
    private var anchors: [String: Node] = [:]
    private var root: Node?
    private var total = 0

    /// Ends the reading after a reported problem that makes the rest of the file useless.
    private struct Stop: Error {}

    /// The tree of `source`; nil after the report of a problem that leaves nothing to read.
    static func build(_ source: SourceText, bag: DiagnosticBag) -> Node? {
        var builder = NodeBuilder(source: source, bag: bag)
        let text = source.bytes.dropFirst(source.prefixLength)
        return text.withUnsafeBufferPointer { builder.build($0) }
    }

    private mutating func build(_ bytes: UnsafeBufferPointer<UInt8>) -> Node? {
        do throws(SyntaxFailure) {
            let stream = try EventStream(bytes)
            while let event = try stream.next() {
                do throws(Stop) { try take(event) } catch { return nil }
            }
        } catch {
            return bag.refuse(
                .syntax, at: error.place(in: source).map { SourceSpan(start: $0, end: $0) },
                error.message(in: source), help: error.remedy(in: source))
        }
        return root
    }

    private mutating func take(_ event: Event) throws(Stop) {
        switch event.kind {
        case .documentStart:
            guard root == nil else {
                throw stop(
                    .severalDocuments, event.span, "a second document begins here",
                    "a manifest is one document: drop the `---`, or split the file")
            }
        case .scalar(let text, let isPlain):
            if case .expectsKey? = frames.last?.state {
                try count(event.span)
                takeKey(
                    Node.Key(text: text, span: event.span), isMerge: isPlain && text == "<<")
                // An anchor on a key can be used like any other.
                remember(scalar(text, isPlain, event), event.anchor)
                return
            }
            try add(scalar(text, isPlain, event), anchor: event.anchor)
        case .sequenceStart(let isFlow):
            try open(event, isFlow: isFlow, isMapping: false)
        case .mappingStart(let isFlow):
            try open(event, isFlow: isFlow, isMapping: true)
        case .collectionEnd:
            guard let frame = frames.popLast() else { return }
            try add(frame.node(endedBy: event.span), anchor: frame.anchor)
        case .alias(let name):
            try add(aliased(name, event.span), anchor: nil, isAlias: true)
        case .other:
            break
        }
    }

    private func scalar(_ text: String, _ isPlain: Bool, _ event: Event) -> Node {
        let plain = CoreValue(plain: text)
        let value: CoreValue
        switch event.tag {
        case nil: value = isPlain ? plain : .text
        case "!", "tag:yaml.org,2002:str": value = .text
        case "tag:yaml.org,2002:null" where plain == .null: value = plain
        case "tag:yaml.org,2002:bool" where plain == .bool(true) || plain == .bool(false):
            value = plain
        case "tag:yaml.org,2002:int" where plain == .integer: value = plain
        case "tag:yaml.org,2002:float" where plain == .real || plain == .notFinite: value = plain
        case let tag?:
            report(tag, event.span)
            return .broken(at: event.span)
        }
        return Node(content: .scalar(Node.Scalar(text: text, value: value)), span: event.span)
    }

    private func aliased(_ name: String, _ span: SourceSpan) -> Node {
        if let node = anchors[name] { return node }
        if let open = frames.first(where: { $0.anchor == name }) {
            bag.error(
                .cyclicAlias, at: span, "`*\(name)` stands inside what it refers to",
                help: "`&\(name)` in line \(open.span.start.line) would contain itself without "
                    + "end; write the value out")
        } else {
            let nearest = bag.nearest(to: name, among: anchors.keys.sorted())
            bag.error(
                .unknownAlias, at: span, "nothing before `*\(name)` is marked `&\(name)`",
                help: nearest.map { "write `*\($0)`" }
                    ?? "mark a value above with `&\(name)`, or put text that begins with * in "
                    + "quotes")
        }
        return .broken(at: span)
    }

    private mutating func open(_ event: Event, isFlow: Bool, isMapping: Bool) throws(Stop) {
        try checkDepth(frames.count + 1, event.span)
        let tags = isMapping ? ["!", "tag:yaml.org,2002:map"] : ["!", "tag:yaml.org,2002:seq"]
        var isBroken = false
        if let tag = event.tag, !tags.contains(tag) {
            report(tag, event.span)
            isBroken = true
        }
        frames.append(
            Frame(
                span: event.span, isFlow: isFlow, isMapping: isMapping, anchor: event.anchor,
                isBroken: isBroken, state: isMapping ? .expectsKey : .item))
        // From here on, a repeated anchor refers to the new value.
        if let anchor = event.anchor { anchors[anchor] = nil }
    }

    /// Adds a finished value to its parent.
    private mutating func add(
        _ node: Node, anchor: String?, isAlias: Bool = false
    ) throws(Stop) {
        // A collection's children were already counted.
        try count(node.span, isAlias ? node.weight : 1)
        try checkDepth(frames.count + node.height, node.span)
        remember(node, anchor)
        guard let last = frames.indices.last else {
            root = node
            return
        }
        frames[last].weight += node.weight
        frames[last].height = max(frames[last].height, node.height + 1)
        switch frames[last].state {
        case .item: frames[last].items.append(node)
        case .expectsKey:
            bag.error(
                .keyNotText, at: node.span, "a key must be text, not \(node.kindName)",
                help: "write `key: value`; put text that begins with { or [ or * in quotes")
            frames[last].state = .expectsValue(nil)
        case .expectsMerge(let span): merge(node, at: span)
        case .expectsValue(let key):
            if let key { frames[last].entries.append(Node.Entry(key: key, value: node)) }
            frames[last].state = .expectsKey
        }
    }

    private mutating func takeKey(_ key: Node.Key, isMerge: Bool) {
        let last = frames.count - 1
        if isMerge {
            frames[last].state = .expectsMerge(key.span)
        } else if let first = frames[last].keys[key.text] {
            bag.error(
                .duplicateKey, at: key.span, "the key \(quoted(key.text)) is here twice",
                help: "keep one of them; the first is in line \(first.line)")
            frames[last].state = .expectsValue(nil)
        } else {
            frames[last].keys[key.text] = key.span.start
            frames[last].state = .expectsValue(key)
        }
    }

    /// `<<: *other` merges the keys of another mapping, or of several.
    private mutating func merge(_ node: Node, at span: SourceSpan) {
        let last = frames.count - 1
        frames[last].state = .expectsKey
        var sources: [Node] = [node]
        if case .sequence(let nodes) = node.content { sources = nodes }
        for source in sources {
            switch source.content {
            case .mapping(let entries): frames[last].merged += entries
            case .broken: break
            default:
                bag.error(
                    .badMerge, at: span, "`<<` takes over a mapping, not \(source.kindName)",
                    help: "write `<<: *name`, where `&name` marks a mapping above")
            }
        }
    }

    private mutating func remember(_ node: Node, _ anchor: String?) {
        if let anchor { anchors[anchor] = node }
    }

    private mutating func count(_ span: SourceSpan, _ values: Int = 1) throws(Stop) {
        total += values  // fits: limited below
        guard total > NodeLimits.values else { return }
        throw stop(
            .tooManyValues, span,
            "the manifest holds more than \(NodeLimits.values) values, counting what each alias "
                + "stands for",
            "make it smaller; an alias of an alias multiplies what it stands for")
    }

    private func checkDepth(_ depth: Int, _ span: SourceSpan) throws(Stop) {
        guard depth > NodeLimits.depth else { return }
        throw stop(
            .tooDeep, span, "values are nested more than \(NodeLimits.depth) levels deep",
            "put fewer lists and mappings inside one another")
    }

    private func report(_ tag: String, _ span: SourceSpan) {
        bag.error(
            .unknownTag, at: span, "the tag \(quoted(tag)) does not fit this value",
            help: "drop the tag: bgrun needs none")
    }

    private func stop(
        _ code: DiagnosticCode, _ span: SourceSpan, _ message: String, _ remedy: String
    ) -> Stop {
        bag.error(code, at: span, message, help: remedy)
        return Stop()
    }
}

/// An incomplete collection.
private struct Frame {
    enum State {
        case item
        case expectsKey
        /// Nil: the value of a refused key.
        case expectsValue(Node.Key?)
        case expectsMerge(SourceSpan)
    }

    let span: SourceSpan
    let isFlow: Bool
    let isMapping: Bool
    let anchor: String?
    let isBroken: Bool
    var state: State
    var items: [Node] = []
    var entries: [Node.Entry] = []
    var merged: [Node.Entry] = []
    var keys: [String: SourceMark] = [:]
    var weight = 1
    var height = 1

    func node(endedBy end: SourceSpan) -> Node {
        var content: Node.Content = isMapping ? .mapping(allEntries) : .sequence(items)
        if isBroken { content = .broken }
        return Node(content: content, span: place(end), weight: weight, height: height)
    }

    /// Its own keys first: they override merged ones.
    private var allEntries: [Node.Entry] {
        var taken = Set(keys.keys)
        return entries + merged.filter { taken.insert($0.key.text).inserted }
    }

    private func place(_ end: SourceSpan) -> SourceSpan {
        if isFlow { return SourceSpan(start: span.start, end: end.end) }
        if let first = entries.first?.key.span { return first }
        let dash = SourceMark(line: span.start.line, column: span.start.column + 1)
        return SourceSpan(start: span.start, end: dash)
    }
}
