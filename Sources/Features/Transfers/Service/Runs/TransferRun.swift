// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CBGRunShims
import FoundationEssentials

/// One try of a transfer: its requests, including redirections, until the file is in its place or an error occurs.
/// Subclasses implement downloads and uploads. Belongs to the loop's thread. Stops all work when released.
class TransferRun {
    let entry: Entry
    unowned let service: TransferService
    private(set) var exchange: Exchange?
    /// The URLs requested so far.
    private var visited: [String] = []
    /// Whether the file is sent: not after a redirection to the result of the upload.
    private var isSending = true
    /// A local error during the exchange.
    private var ownProblem: TransferProblem?
    private(set) var head: ResponseHead?
    /// The number of bytes of an unwanted body that libcurl may still read before the connection is closed.
    private var droppable = 0
    /// CLOCK_BOOTTIME when data was last sent or received.
    private(set) var lastActivity = bgrun_boottime_ns()
    /// Whether the work on the network is done.
    private(set) var isFinishing = false

    private static let mostDropped = 65_536

    init(_ entry: Entry, _ service: TransferService) {
        self.entry = entry
        self.service = service
    }

    deinit { if let exchange { service.multi.remove(exchange) } }

    // MARK: overridden by subclasses

    func start() {}
    /// Fields of the next request in addition to those of the transfer.
    var extraFields: [TransferRequest.Header] { [] }
    /// Bytes to send; nil: none.
    var uploadSize: Int64? { nil }
    /// A response other than a redirection. False: its body is not wanted.
    func accept(_ head: ResponseHead) throws(TransferProblem) -> Bool { false }
    func keep(_ body: UnsafeRawBufferPointer) throws(TransferProblem) {}
    /// The exchange is over, with a response other than a redirection.
    func conclude(_ head: ResponseHead, _ problem: TransferProblem?) {}
    /// Fills `buffer` with the next bytes to send; returns their number, 0 at the end, or nil to abort the exchange.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? { nil }
    /// Moves to another offset of the file to send; false if that is not possible.
    func rewind(to offset: Int64) -> Bool { false }
    /// Syncs the received data to the disk; blocks.
    func sync() {}
    /// Whether it has taken effect, so that another try would repeat the effect.
    var isServed: Bool { false }

    // MARK: asking

    /// Sends the request to the URL of the transfer, or of the last redirection.
    /// - Parameter keepsSecrets: Whether it goes to the server that the transfer names.
    final func ask(_ url: String? = nil, keepsMethod: Bool = true, keepsSecrets: Bool = true) {
        let url = url ?? entry.request.url
        if keepsSecrets, url == entry.request.url {
            visited = []
            isSending = true
        }
        visited.append(url)
        do throws(TransferProblem) {
            var plan = ExchangePlan(
                entry.request, url: url, secrets: try Secrets(entry.request),
                keepsSecrets: keepsSecrets, bufferSize: service.bufferSize)
            plan.fields += extraFields
            isSending = isSending && keepsMethod
            plan.uploadSize = isSending ? uploadSize : nil
            if !keepsMethod { plan.method = nil }
            // A redirected request also sends the whole file.
            _ = rewind(to: 0)
            guard let exchange = Exchange(plan, for: self) else {
                throw TransferProblem(.badURL, "libcurl cannot do what is asked for")
            }
            self.exchange = exchange
        } catch {
            return service.failed(self, error)
        }
        head = nil
        ownProblem = nil
        droppable = Self.mostDropped
        noteActivity()
        if let exchange { service.multi.add(exchange) }
    }

    /// Nanoseconds for which a server may be silent: the timeout of the request, and the pauses of libcurl to keep a
    /// rate.
    final var timeout: Int64 {
        min(entry.request.requestTimeout, .days(1)).nanoseconds
            + ExchangePlan.longestPause(entry.request.rate)  // fits: two days at most
    }

    final func noteActivity() { lastActivity = bgrun_boottime_ns() }

    // MARK: events of libcurl

    /// The header of the response is complete; called once.
    final func received(_ head: ResponseHead) {
        noteActivity()
        self.head = head
        entry.progress.status = head.status
        guard !head.isRedirect else { return }
        do throws(TransferProblem) {
            if try accept(head) { droppable = -1 }
        } catch {
            ownProblem = error
            droppable = 0
        }
    }

    /// A piece of the body. False: abort the exchange.
    final func received(_ body: UnsafeRawBufferPointer) -> Bool {
        noteActivity()
        guard droppable < 0 else {
            droppable = max(0, droppable - body.count)
            return droppable > 0
        }
        do throws(TransferProblem) {
            try keep(body)
            service.moved(entry, body.count)
            return true
        } catch {
            ownProblem = error
            return false
        }
    }

    final func fail(_ problem: TransferProblem) { ownProblem = problem }

    /// The exchange is over; nil if the response is complete.
    final func ended(_ problem: TransferProblem?) {
        let redirection = exchange?.redirectURL
        exchange = nil
        if let ownProblem { return service.failed(self, ownProblem) }
        guard let head else {
            return service.failed(
                self, problem ?? TransferProblem(.connectionLost, "the server said nothing"))
        }
        if head.isRedirect {
            follow(redirection ?? "", head.status)
        } else {
            conclude(head, problem)
        }
    }

    private func follow(_ location: String, _ status: Int) {
        let target = WebAddress.withoutUser(location)
        let verdict = RedirectRule.verdict(
            to: target, visited: visited, status: status, isUpload: isSending && uploadSize != nil)
        switch verdict {
        case .follow(let keepsMethod, let keepsSecrets):
            ask(target, keepsMethod: keepsMethod, keepsSecrets: keepsSecrets)
        case .refuse(let failure, let sentence):
            service.failed(self, TransferProblem(failure, sentence))
        }
    }

    // MARK: the end

    /// Checks `file` and moves it to its place, even if the service is killed meanwhile: stores that it is complete
    /// before the rename, so that the next service knows its state.
    final func finish(_ file: PartialFile, sha256: String?) {
        isFinishing = true
        service.disk.run(for: entry.id) {
            Result { () throws(TransferProblem) in try WholeFile.check(file, sha256: sha256) }
        } then: { [weak self] result in
            self?.checked(file, result)
        }
    }

    /// Whether a file that failed its check is requested again.
    func retries(_ problem: TransferProblem) -> Bool { false }

    private func checked(_ file: PartialFile, _ result: Result<Void, TransferProblem>) {
        if case .failure(let problem) = result {
            isFinishing = false
            return retries(problem) ? () : service.failed(self, problem)
        }
        guard !entry.transfer.wanted.isCancelled else { return service.cancel(entry, force: true) }
        entry.progress.file = entry.places.final
        service.commit(entry) { [weak self] in self?.place(file) }
    }

    private func place(_ file: PartialFile) {
        let path = entry.places.final
        service.disk.run(for: entry.id) {
            Result { () throws(TransferProblem) in try WholeFile.place(file, at: path) }
        } then: { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: service.finished(self, .completed)
            case .failure(let problem):
                entry.progress.file = nil
                service.failed(self, problem)
            }
        }
    }
}

extension ResponseHead {
    /// The header as one JSON object; values of the same name are joined by commas.
    var json: String {
        let values = Dictionary(fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(values)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
