// SPDX-License-Identifier: Apache-2.0

public import BGRunPluginRuntime
public import Foundation

/// A transfer under a `SimulatedScheduler`: transfers nothing, and ends as the test specifies.
public struct SimulatedTransfer: Sendable {
    /// The request of the app.
    public let request: PluginTransferRequest
    /// The current state.
    public internal(set) var transfer: PluginTransfer
    /// Its number among the ended ones; nil before its end.
    var endNumber: Int?

    public var id: Int64 { transfer.id }
    public var session: String { transfer.session }
    public var url: String { transfer.url }
    public var state: PluginTransfer.State { transfer.state }
    public var hasEnded: Bool { endNumber != nil }
}

/// Transfers, which bgrun performs in a separate process.
extension SimulatedScheduler {
    /// All transfers whose end the app has not acknowledged, in the order of creation.
    public var transfers: [SimulatedTransfer] { state.value.transfers }

    /// Ends a transfer with success. If it is the last one of its session, the task of that
    /// identifier is submitted: `simulateLaunch` then delivers the events.
    ///
    /// - Parameters:
    ///   - url: as in the request.
    ///   - data: the content of a download, or the response to an upload.
    public func finishTransfer(
        of url: String, with data: Data = Data(), status: Int = 200,
        headers: [String: String] = [:]
    ) throws {
        try end(url) { transfer, request in
            transfer.status = status
            transfer.responseHeadersJSON = JSONObject.text(headers)
            if request.options.contains(.upload) {
                let size = Self.size(of: request.file)
                (transfer.sent, transfer.expectedToSend) = (size, size)
                guard !data.isEmpty else { return }
                let file = FileManager.default.temporaryDirectory
                    .appendingPathComponent("BackgroundTasksTesting-\(UUID().uuidString)").path
                try data.write(to: URL(fileURLWithPath: file))
                transfer.answerFile = file
                return
            }
            transfer.received = Int64(data.count)
            transfer.expectedToReceive = Int64(data.count)
            let file =
                request.file
                ?? FileManager.default.temporaryDirectory
                .appendingPathComponent("BackgroundTasksTesting-\(UUID().uuidString)").path
            try data.write(to: URL(fileURLWithPath: file, relativeTo: manifestURL))
            transfer.file = file
            if request.file == nil { transfer.options.insert(.temporary) }
        }
    }

    /// Ends a transfer with a permanent failure.
    ///
    /// - Parameter status: the status of the server's response, if that is the reason.
    public func failTransfer(
        of url: String, with code: URLError.Code, status: Int? = nil,
        text: String = "simulated failure"
    ) throws {
        try end(url) { transfer, _ in
            transfer.status = status
            transfer.failure = PluginTransfer.Failure(code: code.rawValue, text: text)
        }
    }

    /// Sets the progress of a transfer; the app sees it when it requests its tasks, and can resume
    /// a cancelled download.
    public func advanceTransfer(of url: String, to bytes: Int64, of total: Int64? = nil) throws {
        let found = state.change { state in
            guard let place = state.openTransfer(url) else { return false }
            if state.transfers[place].request.options.contains(.upload) {
                state.transfers[place].transfer.sent = bytes
                state.transfers[place].transfer.expectedToSend = total
            } else {
                state.transfers[place].transfer.received = bytes
                state.transfers[place].transfer.expectedToReceive = total
            }
            return true
        }
        guard found else { throw SimulationError.noTransfer(url) }
    }

    private var manifestURL: URL { URL(fileURLWithPath: manifestDirectory, isDirectory: true) }

    private static func size(of file: String?) -> Int64 {
        let attributes = file.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    private func end(
        _ url: String,
        _ change: (inout PluginTransfer, PluginTransferRequest) throws -> Void
    ) throws {
        guard let place = state.value.openTransfer(url) else {
            throw SimulationError.noTransfer(url)
        }
        var ended = state.value.transfers[place]
        guard ended.state == .running else { throw SimulationError.suspendedTransfer(url) }
        try change(&ended.transfer, ended.request)
        ended.transfer.state = .completed
        let transfer = ended.transfer
        let isLast = state.change { state in
            guard let place = state.transfers.firstIndex(where: { $0.id == transfer.id }) else {
                return false
            }
            state.endedTransfers += 1
            state.transfers[place].transfer = transfer
            state.transfers[place].endNumber = state.endedTransfers
            return state.transfers.allSatisfy { $0.session != transfer.session || $0.hasEnded }
        }
        guard isLast, !transfer.options.contains(.noLaunchEvents),
            task(for: transfer.session)?.kind == .transfer
        else { return }
        _ = submit(transfer.session, delay: .zero, parameters: nil)
    }
}

extension SimulatedScheduler.State {
    /// The index of the unfinished transfer of a URL.
    func openTransfer(_ url: String) -> Int? {
        transfers.firstIndex { $0.url == url && !$0.hasEnded }
    }
}

extension JSONObject {
    fileprivate static func text(_ object: [String: String]) -> String? {
        (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
