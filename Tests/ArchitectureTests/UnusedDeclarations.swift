// SPDX-License-Identifier: Apache-2.0

/// Finds `package` declarations of a target whose name no target that is linked with it uses. It compares names, so it
/// misses a declaration whose name has another meaning there, but each finding is unused.
struct UnusedDeclarations {
    /// A file, the target that it belongs to, and the modules that it imports with @testable.
    struct Unit {
        let target: String
        let path: String
        let lines: [(number: Int, text: String)]
        let testable: Set<String>

        init(target: String, file: SourceFile) {
            self.target = target
            path = file.path
            var filter = LiteralFilter()
            lines = file.code.map { ($0.number, filter.code(of: $0.text)) }
            testable = Set(
                file.lines.filter { $0.hasPrefix("@testable ") }
                    .compactMap(SourceFile.importedModule))
        }
    }

    private struct Users: Hashable {
        let target: String
        let testable: Set<String>
    }

    /// Swift calls these without their name, or a protocol of the standard library declares them.
    private static let implicit: Set<String> = [
        "callAsFunction", "init(stringLiteral", "init(arrayLiteral", "init(literalCapacity",
        "appendLiteral", "appendInterpolation", "buildBlock", "buildExpression",
    ]
    /// Their initialisers are called with the name of any integer type.
    private static let openTypes: Set<String> = ["FixedWidthInteger"]

    private let units: [Unit]
    private var words: [Users: Set<String>] = [:]
    /// Each target and those that it is linked with.
    private var closures: [String: Set<String>] = [:]
    /// The names that the protocols of each target require.
    private var requirements: [String: Set<String>] = [:]

    /// - Parameter closure: A target and those that it is linked with.
    init(_ units: [Unit], closure: (String) -> Set<String>) {
        self.units = units
        for unit in units {
            if closures[unit.target] == nil { closures[unit.target] = closure(unit.target) }
            requirements[unit.target, default: []]
                .formUnion(PackageDeclaration.requirements(in: unit.lines))
            let users = Users(target: unit.target, testable: unit.testable)
            for line in unit.lines {
                words[users, default: []].formUnion(CodeWords.words(of: line.text))
            }
            words[users, default: []].formUnion(CodeWords.calls(of: unit.lines.map(\.text)))
        }
    }

    /// "FILE:LINE: NAME", in the order of the files.
    func found(in target: String) -> [String] {
        let own = units.filter { $0.target == target }
        let others = words.filter { users, _ in
            users.target != target && !users.testable.contains(target)
                && closures[users.target]?.contains(target) == true
        }.map(\.value)
        func isUsed(_ word: String) -> Bool {
            Self.implicit.contains(word) || others.contains { $0.contains(word) }
        }
        let declarations = own.map { ($0.path, PackageDeclaration.all(in: $0.lines)) }
        let requirements = Set((closures[target] ?? []).flatMap { self.requirements[$0] ?? [] })
        let signatures =
            declarations.flatMap(\.1)
            .map { (name: $0.name, words: CodeWords.words(of: $0.signature)) }
            + own.flatMap { unit in
                unit.lines.filter { $0.text.hasPrefix("case ") || $0.text.hasPrefix("indirect ") }
                    .map { (name: "", words: CodeWords.words(of: $0.text)) }
            }
        let named = signatures.reduce(into: [String: Int]()) { count, signature in
            for word in signature.words where word != signature.name {
                count[word, default: 0] += 1
            }
        }
        return declarations.flatMap { path, declarations in
            declarations.filter { declaration in
                switch declaration.kind {
                case .initialiser:
                    !Self.openTypes.contains(declaration.name)
                        && !declaration.calls.contains(where: isUsed)
                case .type: !isUsed(declaration.name) && named[declaration.name] == nil
                case .member: !isUsed(declaration.name) && !requirements.contains(declaration.name)
                }
            }.map { "\(path):\($0.number): \($0.title)" }
        }
    }
}
