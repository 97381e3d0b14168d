// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A transfer in tables and JSON.
package struct TransferView: Codable, Equatable, Sendable {
    package var id: Int64
    /// The name in the manifest.
    package var name: String?
    package var session: String
    /// `download` or `upload`.
    package var direction: String
    package var url: String
    package var file: String?
    var note: String?
    package var state: State
    package var bytes: Int64
    /// Omitted while unknown.
    package var total: Int64?
    /// Bytes per second of an active transfer.
    package var rate: Int64?
    /// The reason why it does not progress, a sentence without a full stop.
    package var reason: String?
    /// The remedy for that, in the same form.
    package var remedy: String?
    /// The date at which it continues by itself.
    package var until: WallTime?
    /// Failures in a row, the last one as a word and as a sentence, and the server's last status.
    package var failures: Int
    var failure: String?
    package var problem: String?
    var status: Int?
    package var submitted: WallTime
    package var began: WallTime?
    package var finished: WallTime?
    /// Whether its end has been delivered to all recipients.
    package var delivered: Bool
    /// The tasks that are submitted after its success, and after its failure.
    package var then: String?
    package var onFailure: String?
    /// Waits for external power, and an unmetered network.
    package var discretionary: Bool
    /// May use a metered network.
    package var metered: Bool
    /// False: accepts any server certificate.
    package var verifiesServer: Bool

    package enum State: String, Codable, Sendable {
        case running, waiting, suspended, paused, cancelling, completed, unchanged, failed,
            cancelled
    }

    /// The process that handles it now.
    package enum Owner: Equatable, Sendable {
        /// A host knows the obstacle; nil: none.
        case host(TransferWait?, serviceRuns: Bool)
        /// The service continues alone.
        case service(TransferWait?)
        case neither
    }

    package init(_ transfer: Transfer, _ care: Owner, rate: Int64? = nil) {
        let (request, progress) = (transfer.request, transfer.progress)
        id = transfer.id
        name = transfer.name
        session = request.session
        direction = request.direction.rawValue
        url = request.url
        file = progress.file ?? request.file
        note = request.note
        bytes = progress.bytes
        total = progress.total
        failures = progress.failures
        failure = progress.failure?.rawValue
        problem = progress.problem
        status = progress.status
        submitted = transfer.submitted
        began = progress.began
        finished = progress.finished
        delivered = transfer.isDelivered
        verifiesServer = request.verifiesServer
        then = request.then
        onFailure = request.onFailure
        discretionary = request.isDiscretionary
        metered = request.allowsMetered
        state = .waiting
        if let result = progress.result {
            state = State(result)
        } else {
            describe(transfer, care)
            if state == .running { self.rate = rate }
        }
    }

    private mutating func describe(_ transfer: Transfer, _ care: Owner) {
        let wait: TransferWait?
        let isMoving: Bool
        switch care {
        case .host(let found, let serviceRuns): (wait, isMoving) = (found, serviceRuns)
        case .service(let found): (wait, isMoving) = (found, true)
        case .neither: (wait, isMoving) = (nil, false)
        }
        switch transfer.wanted {
        case .suspended: state = .suspended
        case .paused: state = .paused
        case .cancelled, .cancelledResumable: state = .cancelling
        case .run: state = transfer.progress.isRunning && isMoving ? .running : .waiting
        }
        guard state != .running, state != .cancelling else { return }
        if let wait = wait ?? Self.ownWait(of: transfer) {
            reason = wait.sentence
            if case .retry = wait, let problem { reason = problem }
            remedy = wait.remedy(id: id)
            until = wait.until
        } else if care == .neither {
            reason = "no host of its app runs, and no transfer service either"
            remedy = "start one: `bgrun run -m MANIFEST`, with --once or --stay"
        } else if isMoving {
            reason = TransferWait.admitted
        } else {
            reason = TransferWait.unserved
            remedy = Self.doctorRemedy
        }
    }

    /// The obstacle that does not depend on the device.
    private static func ownWait(of transfer: Transfer) -> TransferWait? {
        switch transfer.wanted {
        case .suspended: .suspended
        case .paused: .paused
        default: nil
        }
    }

    /// The remedy for a transfer that could progress but does not, because no service runs.
    package static let doctorRemedy = "`bgrun doctor` says why"

    /// The name for people.
    package var label: String { name ?? "\(session)#\(id)" }

    /// 0 to 1; nil while the total is unknown.
    package var fraction: Double? {
        if state == .completed || state == .unchanged { return 1 }
        return total.flatMap { Percentage.fraction(bytes, $0) }
    }

    package var isFinished: Bool { finished != nil }
}

extension TransferView.State {
    fileprivate init(_ result: TransferResult) {
        switch result {
        case .completed: self = .completed
        case .unchanged: self = .unchanged
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}

extension TransferWait {
    /// The event that continues the transfer; nil if a date does.
    fileprivate func remedy(id: Int64) -> String? {
        switch self {
        case .suspended: "it continues once its app resumes it"
        case .paused: "it continues after `bgrun transfers resume \(id)`"
        case .forbidden: "it continues once the app is opened, and background refresh is on"
        case .network: "it continues once there is one"
        case .unmetered: "it continues once there is an unmetered one"
        case .power: "it continues once there is"
        case .parallel: "it begins when one of them has finished; `transfer_parallel` is the limit"
        case .connections:
            "it begins when one of them is free; `transfer_connections` is the limit"
        case .earliest, .retry, .budget: nil
        }
    }
}
