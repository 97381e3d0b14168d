// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

/// `call:` and `calls:`
extension ManifestDecoder {
    /// `environment` is that of the task.
    func decodeProgram(_ field: Field, environment: [String: String]) -> ForeignProgram? {
        var fields = [field]
        if field.name == "calls" {
            fields = bag.items(of: field, example: "calls: [{library: libc.so.6, function: sync}]")
            guard (1...ForeignLimits.calls).contains(fields.count) else {
                if case .sequence = field.node.content {
                    bag.error(
                        .outOfRange, at: field.span, "`calls` has \(fields.count) items",
                        help: "write 1 to \(ForeignLimits.calls) calls")
                }
                return nil
            }
        }
        // The references of later calls are unknown if an earlier call could not be read.
        let calls = fields.compactMap(decodeCall)
        guard calls.count == fields.count else { return nil }
        var checker = ProgramChecker(bag: bag)
        let preflight = options.libraries.map {
            ForeignPreflight(
                directory: base.path,
                libraryPath: environment["LD_LIBRARY_PATH"] ?? options.libraryPath, files: $0)
        }
        return checker.check(calls, preflight)
    }

    private func decodeCall(_ field: Field) -> PlacedCall? {
        let example = "call: {library: libc.so.6, function: sync}"
        guard let fields = Fields(field, .call, bag, example) else { return nil }
        let library = fields["library"].flatMap(decodeLibrary)
        let function = fields["function"].flatMap(decodeFunction)
        let arguments = fields["args"].map(decodeArguments) ?? []
        let returns = fields["returns"].map { decodeType($0, in: .result) } ?? .void
        let result = fields["result"].map(decodeName)
        let success = fields["success"].map(decodeSuccess)
        let always = fields["always"].map(bag.bool) ?? false
        let fixed = fields["fixed_args"].map { decodeFixed($0, of: arguments?.count) }
        guard let library, let function, let arguments, let returns, let always else { return nil }
        if case .some(.none) = result { return nil }
        if case .some(.none) = success { return nil }
        if case .some(.none) = fixed { return nil }

        var keys: [String: SourceSpan] = [:]
        for field in fields.present(Section.call.names) { keys[field.name] = field.node.span }
        let call = ForeignCall(
            library: library, function: function,
            arguments: arguments.map {
                ForeignArgument(name: $0.name, value: $0.placed.value.value)
            },
            returns: returns, result: result ?? nil, success: success ?? nil, always: always,
            fixedArguments: fixed ?? nil)
        return PlacedCall(
            call: call, span: field.span, arguments: arguments.map(\.placed), keys: keys)
    }

    private func decodeLibrary(_ field: Field) -> String? {
        guard let text = bag.text(field, example: "library: libz.so.1") else { return nil }
        return text.contains("/") ? decodePath(field, text, what: "library") : text
    }

    private func decodeFunction(_ field: Field) -> String? {
        guard let text = bag.text(field, example: "function: compress2") else { return nil }
        let isIdentifier = text.unicodeScalars.allSatisfy {
            $0.isASCII && $0.properties.isXIDContinue
        }
        guard isIdentifier, !("0"..."9").contains(text.prefix(1)) else {
            return bag.refuse(
                .badName, at: field.node.span, "\(quoted(text)) is not the name of a C function",
                help: "write the name alone, as in the library's header: `compress2`")
        }
        return text
    }

    private func decodeArguments(
        _ field: Field
    ) -> [(name: String?, placed: PlacedArgument)]? {
        let fields = bag.items(of: field, example: "args: [{i32: 9}]")
        guard case .sequence = field.node.content else { return nil }
        guard fields.count <= ForeignLimits.arguments else {
            return bag.refuse(
                .outOfRange, at: field.span, "`args` has \(fields.count) items",
                help: "write at most \(ForeignLimits.arguments) arguments")
        }
        let arguments = fields.compactMap(decodeArgument)
        return arguments.count == fields.count ? arguments : nil
    }

    private func decodeFixed(_ field: Field, of count: Int?) -> Int? {
        guard let fixed = bag.integer(field, in: 1...ForeignLimits.arguments) else { return nil }
        guard let count, fixed > count else { return fixed }
        return bag.refuse(
            .outOfRange, at: field.node.span,
            "`fixed_args` is \(fixed), and the call has \(count) arguments",
            help: "write how many arguments come before the `...` of the C function")
    }

    private func decodeSuccess(_ field: Field) -> ForeignSuccess? {
        if field.scalar != nil {
            return bag.word(field, [("zero", .zero), ("nonzero", .nonZero), ("errno", .errno)])
        }
        guard let fields = Fields(field, .success, bag, "success: {at_least: 0}")
        else { return nil }
        let present = fields.present(Section.success.names)
        guard present.count == 1, let comparison = present.first else {
            return bag.refuse(
                .notOneValue, at: field.span, "`success` has \(present.count) comparisons",
                help: "write one of \(listed(Section.success.names))")
        }
        guard let number = bag.integer(comparison, in: Int64.min...Int64.max) else { return nil }
        return switch comparison.name {
        case "equals": .equals(number)
        case "not_equals": .notEquals(number)
        case "at_least": .atLeast(number)
        default: .lessThan(number)
        }
    }

    /// The name of an argument or result.
    func decodeName(_ field: Field) -> String? {
        guard let text = bag.text(field, example: "\(field.name): out") else { return nil }
        guard Self.isName(text) else {
            return bag.refuse(
                .badName, at: field.node.span, "\(quoted(text)) cannot be a name",
                help: "use up to 64 letters, digits, `-` and `_`, beginning with a letter")
        }
        return text
    }
}
