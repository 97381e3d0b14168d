// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import Glibc

/// The app that a command applies to; it is required.
@dynamicMemberLookup
struct AppOptions: ParsableArguments {
    @OptionGroup var choice: AppChoice

    func validate() throws {
        guard choice.isGiven else {
            throw ValidationError("missing app: give --manifest <file> or --app <name>")
        }
    }

    subscript<Value>(dynamicMember member: KeyPath<AppChoice, Value>) -> Value {
        choice[keyPath: member]
    }

    /// See `AppChoice`.
    func readManifest() throws -> Manifest { try choice.readManifest() }

    /// See `AppChoice`.
    func stateDirectory(of app: String) throws -> StateDirectory {
        try choice.stateDirectory(of: app)
    }
}

/// The app that a command applies to, if any.
struct AppChoice: ParsableArguments {
    @Option(
        name: .shortAndLong, help: .value("file", "The app's manifest."), completion: .yamlFiles)
    var manifest: String?

    @Option(
        name: .customLong("app"),
        help: .value(
            "name", "The name of an app that has been run here, in place of its manifest."))
    var name: String?

    @OptionGroup var place: StateOption

    func validate() throws {
        if manifest != nil, name != nil {
            throw ValidationError("--manifest and --app cannot be combined")
        }
        if let name { try Self.check(name) }
    }

    static func check(_ name: String) throws {
        guard !IdentifierRule.isWellFormed(name) else { return }
        throw ValidationError(
            "--app \"\(name)\" is not the name of an app, such as com.example.photos")
    }

    /// Whether an app is named at all.
    var isGiven: Bool { manifest != nil || name != nil }

    /// The effective manifest of the app. Reports problems and ends the command.
    ///
    /// While the file is invalid, missing or untrusted, the running host's older manifest is in effect.
    func readManifest() throws -> Manifest {
        if let name { return try readManifest(ofApp: name) }
        guard let path = manifest else {
            throw ValidationError("missing app")
        }
        let manifest: Manifest
        do throws(ManifestProblems) {
            manifest = try Manifest.read(path, .installed(checkingFiles: false).of(path))
        } catch {
            let hosted = try manifestOfHost(of: path)
            guard let hosted else { throw error }
            return previous(hosted, for: error.firstError?.line ?? path)
        }
        guard let problem = ManifestFile(path: path).untrusted(manifest),
            let hosted = try manifestOfHost(of: path)
        else { return manifest }
        guard hosted.saysTheSame(as: manifest) else { return previous(hosted, for: problem.line) }
        // A host that another user than root has started accepts the file.
        if geteuid() == 0 { complain(problem.line) }
        return manifest
    }

    /// The effective manifest of the host, after the problem of the file was shown.
    private func previous(_ hosted: Manifest, for problem: String) -> Manifest {
        complain(
            "\(problem); the host of \(hosted.app) and this command use the previous manifest")
        return hosted
    }

    private func readManifest(ofApp name: String) throws -> Manifest {
        let state = try place.states.existing(of: name)
        // The host's answer, and the file it names, are controlled by its user.
        try state.becomeOwner()
        if let hosted = try manifest(ofHostAt: state) { return hosted }
        let path = try place.states.manifest(of: name)
        do throws(ManifestProblems) {
            return try Manifest.read(path, .installed(checkingFiles: false).of(path))
        } catch {
            guard error.isMissingFile else { throw error }
            throw Exit.noInput.reporting(
                "\(error.firstError?.line ?? path); \(name) ran last with that manifest: give a copy of it "
                    + "with --manifest")
        }
    }

    /// The effective manifest of the running host whose manifest file is `path`.
    func manifestOfHost(of path: String) throws -> Manifest? {
        let path = Manifest.absolutePath(of: path)
        for state in try place.states.all() {
            guard let holder = try? HostLock.holder(of: state.hostLock),
                DaemonPlaces.isSameFile(holder.manifest, path)
            else { continue }
            return try manifest(ofHostAt: state)
        }
        return nil
    }

    private func manifest(ofHostAt state: StateDirectory) throws -> Manifest? {
        guard let hosted = try HostAccess.ask(ControlRequest(.manifest), state)?.manifest else {
            return nil
        }
        return try ManifestReader.read(
            bytes: Array(hosted.text.utf8), path: hosted.path, directory: hosted.directory,
            options: .installed(checkingFiles: false).of(state.path)
        ).manifest
    }

    /// The state directory of `app`. Root continues as its owner. For a simulated run, dates are shown in
    /// the zone of its scenario.
    func stateDirectory(of app: String) throws -> StateDirectory {
        let state = try place.states.existing(of: app, manifest: manifest)
        try state.becomeOwner()
        SimulatedState.showZone(of: state)
        return state
    }
}
