// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import BGRunSystem
import CBGRunPlugin
import FoundationEssentials
import Glibc

/// The calls of `bgrun.transfer/1`.
extension TransfersFeature {
    /// Transfers in one part of a response: a part fits in a frame, regardless of the servers'
    /// data.
    private static let transfersOfPart = 8

    func answer(_ call: WorkerMessage.TransferCall, from attempt: Int64, _ answer: CallAnswer) {
        guard let identifier = host.running(attempt)?.request.identifier else {
            return answer(HostMessage.Answer(status: BGRUN_E_STATE))
        }
        guard !coordinator.isFull else { return answer(.init(status: BGRUN_E_UNAVAILABLE)) }
        coordinator.whenOpen { [unowned self] isOpen in
            guard isOpen else { return answer(HostMessage.Answer(status: BGRUN_E_IO)) }
            self.answer(call, of: identifier, from: attempt, answer)
        }
    }

    private func answer(
        _ call: WorkerMessage.TransferCall, of identifier: String, from attempt: Int64,
        _ answer: CallAnswer
    ) {
        switch call {
        case .create(let request):
            create(
                request, for: attempt, isConfined: answer.confinement != nil, answer.whole)
        case .resume(let id): want(.run, of: id, answer.whole)
        case .suspend(let id): want(.suspended, of: id, answer.whole)
        case .cancel(let id):
            want(.cancelled, of: id) { [unowned self] result in
                // The caller of a cancellation knows the result.
                if result.status == BGRUN_OK { coordinator.noteDelivered([id]) }
                answer(result)
            }
        case .cancelResumable(let id): cancelResumable(id, answer.whole)
        case .list(let session):
            answer.inParts(of: Self.transfersOfPart) { [weak coordinator] in
                (coordinator?.unacknowledged ?? [])
                    .filter { session == nil || $0.request.session == session }
            } _: { part in
                HostMessage.Answer(
                    status: BGRUN_OK, transfers: part.map { HostMessage.Transfer($0) })
            }
        case .nextEnded(let session):
            let session = session ?? identifier
            let ended = coordinator.undelivered.first {
                $0.request.session == session && $0.request.then == nil
            }
            guard let ended else { return answer(HostMessage.Answer(status: BGRUN_E_NOT_FOUND)) }
            answer(HostMessage.Answer(status: BGRUN_OK, transfers: [HostMessage.Transfer(ended)]))
        case .acknowledge(let id):
            guard let transfer = coordinator.open[id], transfer.isFinished else {
                return answer(HostMessage.Answer(status: BGRUN_E_NOT_FOUND))
            }
            // The session's task collects its transfers, so later launches need not wait.
            launches[transfer.request.session] = nil
            // The file of an upload is the server's response, which no delegate moves.
            var unwanted: String?
            if transfer.request.keepsFile == true, transfer.request.direction == .download {
                unwanted = keep(transfer)
            }
            if let answer = transfer.answerFile { unlink(answer) }
            coordinator.noteDelivered([id]) { [unwanted] isStored in
                if isStored, let unwanted { unlink(unwanted) }
                answer(HostMessage.Answer(status: isStored ? BGRUN_OK : BGRUN_E_IO))
            }
        }
    }

    /// Apple removes a file that a delegate has not moved; bgrun does not silently discard
    /// downloads. Returns the file that the policy has removed once the end is stored.
    private func keep(_ transfer: Transfer) -> String? {
        let keeping = coordinator.keep(
            transfer, atMost: host.manifest.policy.keptDownloads, since: keptSince)
        let unmoved = "The download of \(transfer.label) was not moved in didFinishDownloadingTo; "
        switch keeping {
        case .moved: break
        case .kept(let path): host.say(.warning, unmoved + "it is kept as \(path)")
        case .unwanted(let file):
            host.say(.warning, unmoved + "it is removed, because kept_downloads is 0 in the policy")
            return file
        case .failed(let failure):
            host.say(
                .error,
                unmoved
                    + "it cannot be kept: \(failure); it stays in its place until the next start. "
                    + "Copy it, and free space or correct the directory")
        }
        return nil
    }

    private func want(
        _ wanted: Transfer.Wanted, of id: Int64,
        _ answer: @escaping (HostMessage.Answer) -> Void
    ) {
        guard let transfer = coordinator.open[id], !transfer.isFinished,
            !transfer.wanted.isCancelled,
            !transfer.isDelivered
        else { return answer(HostMessage.Answer(status: BGRUN_E_NOT_FOUND)) }
        coordinator.want(wanted, of: [id]) { isStored in
            answer(HostMessage.Answer(status: isStored ? BGRUN_OK : BGRUN_E_IO))
        }
    }

    /// Answers once the service has stored the received part.
    private func cancelResumable(_ id: Int64, _ answer: @escaping (HostMessage.Answer) -> Void) {
        want(.cancelledResumable, of: id) { [unowned self] result in
            guard result.status == BGRUN_OK else { return answer(result) }
            coordinator.noteDelivered([id])
            coordinator.whenFinished(id) { transfer in
                let data = transfer.flatMap(ResumeData.init)?.bytes ?? []
                answer(HostMessage.Answer(status: BGRUN_OK, data: data))
            }
        }
    }

    private var placesOfConfined: ConfinedPlaces {
        let state = coordinator.place.state.absolutePath
        return ConfinedPlaces(
            home: StateDirectory.appHome(state), downloads: state + "/transfers")
    }

    private func create(
        _ wish: WorkerMessage.TransferRequest, for attempt: Int64, isConfined: Bool,
        _ answer: @escaping (HostMessage.Answer) -> Void
    ) {
        let now = SystemClock().now.wall
        let request: TransferRequest
        do throws(TransferRequestProblem) {
            request = try TransferRequest(
                wish, from: host.manifest.directory, at: now,
                within: isConfined ? placesOfConfined : nil)
        } catch {
            if case .notPermitted(let path) = error {
                host.say(
                    .warning,
                    "The app's transfer for session \(wish.session) was refused: \(path) is not "
                        + "permitted to a confined handler; \(PlaceRule.remedy)")
            }
            return answer(HostMessage.Answer(status: error.status))
        }
        let isSuspended = wish.flags & BGRUN_TRANSFER_SUSPENDED != 0
        creating[attempt, default: []].insert(request.session)
        coordinator.add(request, wanted: isSuspended ? .suspended : .run, at: now) { id in
            guard let id else { return answer(HostMessage.Answer(status: BGRUN_E_IO)) }
            answer(HostMessage.Answer(status: BGRUN_OK, id: id))
        }
    }
}

/// Where the files of confined handlers' transfers may be.
struct ConfinedPlaces {
    /// The app's home, for all files.
    var home: String
    /// The directory of downloads without a destination, for parts of earlier ones.
    var downloads: String
}

/// Why a plugin's request is refused.
enum TransferRequestProblem: Error {
    case malformed
    /// The file to send, or the part to resume, is missing.
    case nothingThere
    /// A confined handler may not use this path.
    case notPermitted(String)

    fileprivate var status: Int32 {
        switch self {
        case .malformed: BGRUN_E_INVALID
        case .nothingThere: BGRUN_E_NOT_FOUND
        case .notPermitted: BGRUN_E_NOT_PERMITTED
        }
    }
}

extension TransferRequest {
    /// The request of a plugin; relative paths start at `directory`.
    /// - Parameter places: Of a confined handler; nil: its files may be anywhere.
    init(
        _ wish: WorkerMessage.TransferRequest, from directory: String, at now: WallTime,
        within places: ConfinedPlaces? = nil
    ) throws(TransferRequestProblem) {
        let has = { (flag: UInt32) in wish.flags & flag != 0 }
        let isUpload = has(BGRUN_TRANSFER_UPLOAD)
        let resume = try? JSONDecoder().decode(ResumeData.self, text: wish.resumeData)
        if !wish.resumeData.isEmpty, resume == nil || isUpload { throw .malformed }
        guard let url = wish.url ?? resume?.url, WebAddress(url) != nil,
            WebAddress.withoutUser(url) == url, !wish.session.isEmpty
        else { throw .malformed }
        let path = wish.file.map { $0.hasPrefix("/") ? $0 : directory + "/" + $0 }
        if let places {
            try Self.check(path, below: places.home)
            // The data for a resume may have been changed.
            try Self.check(resume?.file, below: places.home, places.downloads)
        }
        if let resume, access(resume.file, R_OK) != 0 { throw .nothingThere }
        if isUpload {
            guard let path else { throw .malformed }
            if access(path, R_OK) != 0 { throw .nothingThere }
        }
        self.init(
            session: wish.session, direction: isUpload ? .upload : .download, url: url, file: path)
        within = places?.home
        method = wish.method ?? resume?.method
        headers = resume?.headers ?? []
        if let json = wish.headers {
            guard let fields = [Header](json: json) else { throw .malformed }
            headers = fields
        }
        if let digest = wish.sha256 {
            guard !isUpload, digest.utf8.count == 64, digest.allSatisfy(\.isHexDigit) else {
                throw .malformed
            }
            sha256 = digest.lowercased()
        }
        note = wish.description
        let lengths = [
            wish.earliestDelayNanoseconds, wish.requestTimeoutNanoseconds,
            wish.resourceTimeoutNanoseconds, wish.rate, wish.expectedSend, wish.expectedReceive,
        ]
        guard lengths.allSatisfy({ $0 >= 0 }) else { throw .malformed }
        let positive = { (length: Int64) in length > 0 ? length : nil }
        earliest = positive(wish.earliestDelayNanoseconds)
            .map { now.advanced(by: Interval(nanoseconds: $0)) }
        requestTimeout =
            positive(wish.requestTimeoutNanoseconds)
            .map { min(Interval(nanoseconds: $0), .days(1)) } ?? requestTimeout
        resourceTimeout =
            positive(wish.resourceTimeoutNanoseconds)
            .map { min(Interval(nanoseconds: $0), .days(366)) } ?? resourceTimeout
        expectedToSend = positive(wish.expectedSend)
        expectedToReceive = positive(wish.expectedReceive)
        rate = positive(wish.rate)
        connections = wish.connections == 0 ? nil : Int(min(wish.connections, 64))
        isDiscretionary = has(BGRUN_TRANSFER_DISCRETIONARY)
        allowsMetered = !has(BGRUN_TRANSFER_NO_METERED)
        sendsLaunchEvents = !has(BGRUN_TRANSFER_NO_LAUNCH_EVENTS)
        acceptsAnyStatus = has(BGRUN_TRANSFER_ANY_STATUS) ? true : nil
        // The host would move a file from its destination without a check for links.
        let isKept = has(BGRUN_TRANSFER_KEEP) && (places == nil || path == nil)
        keepsFile = isKept ? true : nil
        self.resume = resume.map { Resume(file: $0.file, validator: $0.validator) }
    }

    private static func check(
        _ path: String?, below directories: String...
    ) throws(TransferRequestProblem) {
        guard let path else { return }
        guard directories.contains(where: { PlaceRule.names(of: path, below: $0) != nil }) else {
            throw .notPermitted(path)
        }
    }
}

extension HostMessage.Transfer {
    fileprivate init(_ transfer: Transfer) {
        let (request, progress) = (transfer.request, transfer.progress)
        let isUpload = request.direction == .upload
        self.init(
            id: transfer.id, state: transfer.state, session: request.session, url: request.url,
            method: request.method ?? (isUpload ? "PUT" : "GET"))
        let isTemporary = !isUpload && request.file == nil
        for (isSet, flag) in [
            (isUpload, BGRUN_TRANSFER_UPLOAD), (isTemporary, BGRUN_TRANSFER_TEMPORARY),
            (request.acceptsAnyStatus == true, BGRUN_TRANSFER_ANY_STATUS),
            (request.keepsFile == true, BGRUN_TRANSFER_KEEP),
            (request.isDiscretionary, BGRUN_TRANSFER_DISCRETIONARY),
            (!request.allowsMetered, BGRUN_TRANSFER_NO_METERED),
            (!request.sendsLaunchEvents, BGRUN_TRANSFER_NO_LAUNCH_EVENTS),
        ] where isSet { flags |= flag }
        if progress.result == .failed || progress.result == .cancelled {
            let failure = progress.result == .cancelled ? .cancelled : progress.failure
            error = failure?.pluginCode ?? BGRUN_TRANSFER_E_OTHER
            errorText = progress.problem ?? failure?.rawValue
        }
        status = Int32(clamping: progress.status ?? 0)
        description = request.note
        file = isUpload ? request.file : error == 0 ? progress.file ?? request.file : nil
        answerFile = transfer.answerFile
        resumedAt = progress.resumedAt ?? -1
        responseHeaders = progress.responseHeaders
        if isUpload {
            sent = progress.bytes
            expectedSend = progress.total ?? request.expectedToSend ?? -1
        } else {
            received = progress.bytes
            expectedReceive = progress.total ?? request.expectedToReceive ?? -1
        }
        earliestUnixNanoseconds =
            request.earliest.map { Interval.milliseconds($0.milliseconds).nanoseconds } ?? 0
    }
}

extension Transfer {
    /// The server's response to an upload.
    fileprivate var answerFile: String? {
        request.direction == .upload && progress.result == .completed ? progress.file : nil
    }

    fileprivate var state: UInt8 {
        if isFinished { return UInt8(BGRUN_TRANSFER_STATE_COMPLETED) }
        switch wanted {
        case .run: return UInt8(BGRUN_TRANSFER_STATE_RUNNING)
        case .suspended, .paused: return UInt8(BGRUN_TRANSFER_STATE_SUSPENDED)
        case .cancelled, .cancelledResumable: return UInt8(BGRUN_TRANSFER_STATE_CANCELING)
        }
    }
}

extension TransferFailure {
    fileprivate var pluginCode: Int32 {
        switch self {
        case .badURL: BGRUN_TRANSFER_E_BAD_URL
        case .cannotFindHost: BGRUN_TRANSFER_E_CANNOT_FIND_HOST
        case .cannotConnect: BGRUN_TRANSFER_E_CANNOT_CONNECT
        case .connectionLost: BGRUN_TRANSFER_E_CONNECTION_LOST
        case .timedOut: BGRUN_TRANSFER_E_TIMED_OUT
        case .tooManyRedirects: BGRUN_TRANSFER_E_TOO_MANY_REDIRECTS
        case .untrustedServer: BGRUN_TRANSFER_E_CERTIFICATE
        case .clientCertificate: BGRUN_TRANSFER_E_CLIENT_CERTIFICATE
        case .badAnswer, .status, .wrongLength: BGRUN_TRANSFER_E_BAD_RESPONSE
        case .wrongDigest: BGRUN_TRANSFER_E_CHECKSUM
        case .tooLarge: BGRUN_TRANSFER_E_TOO_LARGE
        case .noSpace: BGRUN_TRANSFER_E_CANNOT_WRITE
        case .file: BGRUN_TRANSFER_E_CANNOT_WRITE
        case .credentials: BGRUN_TRANSFER_E_AUTHENTICATION
        case .cancelled: BGRUN_TRANSFER_E_CANCELLED
        }
    }
}
