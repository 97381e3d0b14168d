// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import CBGRunPlugin

/// The limits of worker messages, enforced by the host: the worker's own checks share a process
/// with the plugin.
extension WorkerMessage {
    private static let longestMessage = 4_096
    private static let longestTitle = 256

    /// The message with every text truncated and every number clamped to its limits.
    package var bounded: WorkerMessage {
        switch self {
        case .refused(let text): .refused(text.cut(to: Self.longestMessage))
        case .completed(let attempt, let success, let text, let entered):
            .completed(
                attempt: attempt, success: success, message: text?.cut(to: Self.longestMessage),
                enteredMonotonic: max(0, entered))
        case .progress(let attempt, let completed, let total):
            .progress(attempt: attempt, completed: max(0, completed), total: max(0, total))
        case .title(let attempt, let title, let subtitle):
            .title(
                attempt: attempt, title: title?.cut(to: Self.longestTitle),
                subtitle: subtitle?.cut(to: Self.longestTitle))
        case .assertionBegan(let attempt, let id, let name):
            .assertionBegan(attempt: attempt, id: id, name: name?.cut(to: Self.longestTitle))
        case .loaded(let loaded): .loaded(loaded.bounded)
        case .registered(let registration): .registered(registration.bounded)
        case .idle, .log, .assertionEnded, .call, .remark, .short, .waiting:
            self
        }
    }
}

/// The maximum length of an identifier or a name in bytes; no task has a longer one.
private let longestName = 256

extension Registration {
    fileprivate var bounded: Registration {
        var registration = self
        registration.identifier = identifier?.cut(to: longestName)
        return registration
    }
}

extension WorkerMessage.Loaded {
    fileprivate var bounded: WorkerMessage.Loaded {
        var loaded = self
        loaded.name = name.cut(to: longestName)
        loaded.version = version?.cut(to: longestName)
        loaded.handlers = Array(
            handlers.filter { $0.utf8.count <= longestName }.prefix(Self.mostHandlers))
        loaded.registrations = registrations.map {
            $0.prefix(WorkerMessage.Loaded.mostRegistrations).map(\.bounded)
        }
        return loaded
    }
}

extension WorkerMessage.Call {
    private static let largestParameters = 1 << 20

    /// The error status of a call that exceeds its limits, which the worker's own code would
    /// refuse; nil: within the limits.
    var refusal: Int32? {
        switch self {
        case .submit(let request):
            if request.parameters?.utf8.count ?? 0 > Self.largestParameters {
                return BGRUN_E_TOO_LARGE
            }
            let isValid =
                request.identifier.utf8.count <= longestName
                && request.annotations?.utf8.count ?? 0 <= Annotations.longestText
                && request.delayNanoseconds >= 0
                && UInt32(request.requires) & ~Self.knownRequirements == 0  // fits: 8 bits
            return isValid ? nil : BGRUN_E_INVALID
        case .cancel(let identifier):
            return identifier.utf8.count <= longestName ? nil : BGRUN_E_INVALID
        case .putCheckpoint(_, let data):
            return data.count <= Int(BGRUN_CHECKPOINT_MAX) ? nil : BGRUN_E_TOO_LARGE
        case .pending, .pushes: return nil
        case .transfer(let call): return call.refusal
        }
    }

    private static let knownRequirements = UInt32(
        BGRUN_REQUIRES_POWER | BGRUN_REQUIRES_NETWORK | BGRUN_REQUIRES_UNMETERED
            | BGRUN_REQUIRES_IDLE | BGRUN_REQUIRES_BATTERY | BGRUN_REQUIRES_STORAGE
            | BGRUN_REQUIRES_GPU)
}

extension WorkerMessage.TransferCall {
    fileprivate var refusal: Int32? {
        switch self {
        case .create(let request):
            let texts = [
                request.method, request.headers, request.file, request.sha256, request.description,
            ]
            let isSmall =
                texts.allSatisfy { $0?.utf8.count ?? 0 <= Int(BGRUN_TRANSFER_TEXT_MAX) }
                && request.resumeData.count <= Int(BGRUN_TRANSFER_TEXT_MAX)
                && request.url?.utf8.count ?? 0 <= Int(BGRUN_TRANSFER_URL_MAX)
                && request.session.utf8.count <= Int(BGRUN_TRANSFER_SESSION_MAX)
            return isSmall ? nil : BGRUN_E_TOO_LARGE
        case .list(let session), .nextEnded(let session):
            return session?.utf8.count ?? 0 <= Int(BGRUN_TRANSFER_SESSION_MAX)
                ? nil : BGRUN_E_TOO_LARGE
        case .resume, .suspend, .cancel, .cancelResumable, .acknowledge: return nil
        }
    }
}
