// SPDX-License-Identifier: Apache-2.0

import BGRunSystem

/// A task's secrets, and the files of its environment.
extension ManifestDecoder {
    func decodeSecrets(_ field: Field, _ action: TaskDefinition.Action?) -> [Secret] {
        let example = "secrets: {token: {file: ./token}}"
        guard let members = bag.members(of: field, example: example) else { return [] }
        if case .foreign? = action {
            bag.error(
                .uselessKey, at: field.span, "a foreign call is not given the `secrets`",
                help: "use a handler that reads them, or drop `secrets`")
        }
        if members.count > Secret.most {
            bag.error(
                .outOfRange, at: field.span, "the task has \(members.count) secrets",
                help: "write at most \(Secret.most)")
        }
        return members.compactMap(decodeSecret)
    }

    private func decodeSecret(_ field: Field) -> Secret? {
        let isNamed = Secret.isName(field.name)
        if !isNamed {
            bag.error(
                .badName, at: field.span, "\(quoted(field.name)) cannot name a secret",
                help: "use up to \(Secret.longestName) letters, digits and `_`, not beginning with "
                    + "a digit: its variable is `BGRUN_SECRET_NAME`")
        }
        guard let fields = Fields(field, .secret, bag, "\(field.name): {file: ./token}") else {
            return nil
        }
        let place = fields.one(
            of: ["file", "credential"], quoted(field.name), lack: "does not say where it is",
            .notOneValue, help: "write either `file: PATH` or `credential: NAME`")
        guard let place, isNamed,
            let source = place.name == "file"
                ? decodeSecretFile(place).map(Secret.Source.file)
                : decodeCredential(place).map(Secret.Source.credential)
        else { return nil }
        return Secret(name: field.name, source: source)
    }

    /// A file that is missing now may exist at the launch.
    private func decodeSecretFile(_ field: Field) -> String? {
        guard let text = bag.text(field, example: "file: ./token") else { return nil }
        let remedy = "write the secret to a file of mode 600, and name it"
        if isDirectory(text, field, help: remedy) { return nil }
        let path = base.resolve(text)
        guard options.checksSecrets else { return path }
        if let absence = SourceFile.absence(of: path) {
            bag.error(
                .missingFile, at: field.node.span, "\(quoted(path, limit: 200)): \(absence)",
                help: "\(remedy) (relative to the manifest's directory)")
        } else {
            checkPrivate(field, path)
        }
        return path
    }

    private func decodeCredential(_ field: Field) -> String? {
        guard let text = bag.text(field, example: "credential: token") else { return nil }
        guard Secret.isCredentialName(text) else {
            return bag.refuse(
                .badName, at: field.node.span, "\(quoted(text)) cannot name a credential",
                help: "write the name in `LoadCredential=` of the host's unit, without its path")
        }
        return text
    }

    /// One field for each path.
    func decodeEnvironmentFiles(_ field: Field) -> [Field] {
        guard case .sequence = field.node.content else { return [field] }
        return bag.someItems(of: field, example: "env_file: [./app.env]")
    }

    /// The variables of the files, the later ones over the earlier, and the paths of the files.
    func readEnvironmentFiles(_ fields: [Field]) -> (variables: [String: String], paths: [String]) {
        var variables: [String: String] = [:]
        var paths: [String] = []
        for field in fields {
            guard let text = bag.text(field, example: "env_file: ./app.env"),
                !isDirectory(text, field, help: "name the file of variables in it")
            else { continue }
            let path = base.resolve(text)
            paths.append(path)
            guard options.checksFiles else { continue }
            variables.merge(readEnvironmentFile(field, path)) { $1 }
        }
        return (variables, paths)
    }

    private func readEnvironmentFile(_ field: Field, _ path: String) -> [String: String] {
        let name = quoted(path, limit: 200)
        do throws(SourceFile.Failure) {
            let bytes = try SourceFile.read(path, limit: EnvironmentFile.sizeLimit)
            do throws(EnvironmentFile.Problem) {
                return try EnvironmentFile.variables(in: bytes)
            } catch {
                bag.error(
                    .badVariables, at: field.node.span,
                    "\(name): line \(error.line) \(error.message)", help: error.remedy)
            }
        } catch {
            switch error {
            case .unreadable(let reason):
                bag.error(
                    .missingFile, at: field.node.span, "\(name): \(reason)",
                    help: "write the file of variables, or correct the path (relative to the "
                        + "manifest's directory)")
            case .tooLarge:
                bag.error(
                    .outOfRange, at: field.node.span,
                    "\(name) is larger than \(EnvironmentFile.sizeLimit / 1_024) KiB",
                    help: "pass a file's path to the handler instead")
            }
        }
        return [:]
    }
}
