// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

/// The calls of one worker that the host has not answered: many only while the store is busy. A call above a limit is
/// refused with BGRUN_E_UNAVAILABLE, so that a worker with endless calls takes bounded memory of the host.
struct OpenCalls {
    static let most = 256
    /// Bytes of their contents: sixteen of the largest parameters.
    static let mostBytes = 16 << 20

    private(set) var count = 0
    private(set) var bytes = 0

    /// False above a limit; then the call is not open.
    mutating func add(_ size: Int) -> Bool {
        precondition(
            size >= 0 && (count > 0 || bytes == 0), "\(bytes) bytes of \(count) calls are open")
        guard count < Self.most, size <= Self.mostBytes - bytes else { return false }
        count += 1
        bytes += size
        return true
    }

    /// A call of that size was answered.
    mutating func remove(_ size: Int) {
        precondition(count > 0 && size <= bytes, "a call is answered once")
        count -= 1
        bytes -= size
    }
}

extension WorkerMessage.Call {
    /// Bytes of its contents, at most about one frame.
    var size: Int {
        switch self {
        case .submit(let request):
            request.identifier.utf8.count + (request.parameters?.utf8.count ?? 0)
        case .cancel(let identifier): identifier.utf8.count
        case .putCheckpoint(_, let data): data.count
        case .transfer(.create(let request)): request.size
        case .transfer, .pending, .pushes: 0
        }
    }
}

extension WorkerMessage.TransferRequest {
    fileprivate var size: Int {
        let texts: [String?] = [session, url, method, headers, file, sha256, description]
        return texts.reduce(resumeData.count) { $0 + ($1?.utf8.count ?? 0) }
    }
}
