// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import Glibc

/// The sealed copies of an attempt's secrets, open until they are sent to its worker.
final class OpenSecrets {
    let descriptors: [Int32]

    /// Fails if one of them cannot be read now.
    init(_ secrets: [Secret]) throws(PrivateFile.Refusal) {
        var opened: [Int32] = []
        do throws(PrivateFile.Refusal) {
            for secret in secrets { opened.append(try secret.copy()) }
        } catch {
            for descriptor in opened { close(descriptor) }
            throw error
        }
        descriptors = opened
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}

extension Supervisor {
    /// Opens the secrets of a launch; returns why it cannot be prepared. A task without its secrets never starts.
    func complete(_ work: inout Work) -> Preparation? {
        let attempt = work.launch.attempt
        do throws(PrivateFile.Refusal) {
            if !work.secrets.isEmpty { work.openSecrets = try OpenSecrets(work.secrets) }
        } catch {
            if let resource = Resource(code: error.code) { return .short(resource) }
            prepared[attempt] = .refused(error.reason)
            return .refused
        }
        work.launch.secrets = work.secrets.map(\.name)
        guard work.launch.fitsInFrame else {
            prepared[attempt] = .refused(
                "its parameters, checkpoint and foreign calls are over 4 MiB together; write large "
                    + "data to a file, and pass its path")
            return .refused
        }
        return nil
    }

    func send(_ work: Work, to worker: WorkerProcess) {
        withExtendedLifetime(work.openSecrets) {
            worker.launch.send(HostMessage.launch(work.launch).frame, passing: work.passed)
        }
    }
}
