// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Glibc

struct TransfersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfers",
        abstract: "List, add, pause, resume or cancel an app's downloads and uploads.",
        discussion: """
            Works with and without a running host: what is changed is stored, and a host or a \
            transfer service that runs is told. Without either, the service is started for work \
            that needs no host.
            """,
        subcommands: [
            TransfersListCommand.self, TransfersAddCommand.self, TransfersPauseCommand.self,
            TransfersResumeCommand.self, TransfersCancelCommand.self,
        ],
        defaultSubcommand: TransfersListCommand.self)
}

extension AppOptions {
    /// The transfers of the named app; its manifest may be missing.
    func transfers(of manifest: Manifest? = nil) throws -> TransferAccess {
        let app = try manifest?.app ?? self.name ?? readManifest().app
        return TransferAccess(state: try stateDirectory(of: app).readable())
    }
}

struct TransfersListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List transfers: how far they are, why they wait, and what would change that.",
        discussion: """
            The last ten of those that have finished are shown, too.

            Example: bgrun transfers list -m podcasts.yaml
            """)

    @OptionGroup var app: AppOptions

    @Flag(help: "List every stored transfer.")
    var all = false

    @Flag(help: "List again each second, until all have finished.")
    var watch = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        if watch, output.json { throw ValidationError("--watch and --json cannot be combined") }
    }

    func run() throws {
        let access = try app.transfers()
        let finished = all ? Int.max : 10
        var views = try access.views(finished: finished)
        if output.json { return print(try JSONOutput.text(views)) }
        while true {
            let isScreen = watch && Terminal.isTerminal(STDOUT_FILENO)
            print((isScreen ? "\u{1B}[H\u{1B}[J" : "") + text(views))
            try flushOutput()
            guard watch, views.contains(where: { !$0.isFinished }) else { return }
            sleep(1)
            views = try access.views(finished: finished)
        }
    }

    private func text(_ views: [TransferView]) -> String {
        guard !views.isEmpty else { return "no transfers" }
        var table = Table("ID", "TRANSFER", "PROGRESS", "BYTES", "RATE", "STATE")
        for view in views {
            let total = view.total.map { " of \(ByteText.text($0))" } ?? ""
            table.add(
                "\(view.id)", LogText.visible(view.label),
                view.fraction.map { ByteText.bar($0) } ?? "-",
                ByteText.text(view.bytes) + (view.isFinished ? "" : total),
                view.rate.map { "\(ByteText.text($0))/s" } ?? "-", view.sentence)
        }
        return table.text
    }
}

extension TransferView {
    /// The state with all details.
    var sentence: String {
        let date = finished.map { " at \($0.localText)" }
        var text = state.rawValue + (date ?? "")
        if !verifiesServer { text += ", server not verified" }
        if isFinished {
            if let problem, state == .failed { text += ": \(LogText.visible(problem))" }
            return text
        }
        guard let reason else { return text }
        text += ": \(LogText.visible(reason))"
        if let until { text += "; next try \(until.localText)" }
        if let remedy { text += "; \(remedy)" }
        return text
    }

    /// The state as a predicate of the transfer's name: "is running", "has failed at ...".
    var predicate: String {
        switch state {
        case .completed, .failed: "has \(sentence)"
        case .cancelled: "was \(sentence)"
        case .unchanged: "was found \(sentence)"
        case .running, .waiting, .suspended, .paused, .cancelling: "is \(sentence)"
        }
    }
}

struct TransfersAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Submit a download or an upload.",
        discussion: """
            It is stored when the command ends; its number is printed.

            Example: bgrun transfers add https://example.org/a.mp3 --to a.mp3 -m podcasts.yaml
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: .value("url", "The http or https address."))
    var url: String

    @Option(help: .value("file", "Download: the file to write."), completion: .file())
    var to: String?

    @Option(help: .value("file", "Upload: the file to send."), completion: .file())
    var from: String?

    @Option(help: .value("digest", "The digest a download must have."))
    var sha256: String?

    @Option(help: ArgumentHelp("Its session. Default: the app's name."))
    var session: String?

    @Flag(help: "Wait for an unmetered network and external power.")
    var discretionary = false

    @Flag(help: "Wait for an unmetered network.")
    var unmetered = false

    @Option(help: .value("identifier", "The task that is submitted when it has succeeded."))
    var then: String?

    @Option(help: .value("identifier", "The task that is submitted when it has failed."))
    var onFailure: String?

    @Option(
        help: .value("file", "A private file of `user:password` or `Bearer ...`."),
        completion: .file())
    var credentials: String?

    @OptionGroup var output: JSONOption

    func validate() throws {
        if (to == nil) == (from == nil) {
            throw ValidationError(
                "give either --to <file>, to download, or --from <file>, to upload")
        }
        guard WebAddress(url) != nil else {
            throw ValidationError("\(url) is not an http or https address")
        }
        guard WebAddress.withoutUser(url) == url else {
            throw ValidationError(
                "put user and password into a private file, and name it with --credentials")
        }
        if let sha256 {
            guard from == nil else { throw ValidationError("--sha256 is for downloads") }
            guard sha256.utf8.count == 64, sha256.allSatisfy(\.isHexDigit) else {
                throw ValidationError("--sha256 takes the 64 digits `sha256sum FILE` prints")
            }
        }
    }

    func run() throws {
        let manifest = app.name == nil ? try app.readManifest() : nil
        let access = try app.transfers(of: manifest)
        for task in [then, onFailure].compactMap(\.self) { try manifest?.requireAdmitted(task) }
        if let from { try requireFile(from) }
        var request = TransferRequest(
            session: session ?? access.state.app, direction: to == nil ? .upload : .download,
            url: url, file: (to ?? from).map(AbsolutePath.of))
        request.sha256 = sha256?.lowercased()
        request.isDiscretionary = discretionary
        request.allowsMetered = !unmetered
        request.then = then
        request.onFailure = onFailure
        request.credentials = credentials.map(AbsolutePath.of)
        let (id, tended) = try access.change {
            try $0.add(request, at: SystemClock().now.wall)
        }
        if output.json { return print(try JSONOutput.text(["id": id])) }
        switch tended {
        case .host: print("Transfer \(id)")
        case .service:
            let begins =
                discretionary || unmetered
                ? "begins it once its conditions hold" : "runs it without a host"
            let follows = then ?? onFailure
            print(
                "Transfer \(id): accepted; the transfer service \(begins)"
                    + (follows == nil ? "" : "; what follows it waits for a host"))
        case .nothing: print("Transfer \(id): waits for a host of the app")
        }
    }

    /// Ends the command unless `path` is a file that can be sent.
    private func requireFile(_ path: String) throws {
        var status = stat()
        var reason: String?
        if stat(path, &status) != 0 || faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 {
            reason = String(cString: strerror(errno))
        } else if status.st_mode & S_IFMT != S_IFREG {
            reason = "not a regular file"
        }
        guard let reason else { return }
        throw Exit.noInput.reporting(
            "--from \(LogText.visible(path)): \(reason); name a file that you may read")
    }
}

extension Manifest {
    /// Ends the command unless the manifest admits requests of `identifier`, regardless of running
    /// and pending ones.
    fileprivate func requireAdmitted(_ identifier: String) throws(Refusal) {
        try AdmissionRule(engineConfiguration).permit(identifier)
    }
}
