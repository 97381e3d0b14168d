// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import Glibc

extension AppDoctor {
    /// Whether what is to be moved is.
    var transfers: [DoctorFinding] {
        let views = (try? TransferAccess(state: state).views()) ?? []
        guard !views.isEmpty || !manifest.transfers.isEmpty else { return [] }
        guard Installation().transferService != nil else {
            return [
                .fail(
                    .transfers, "bgrun-transferd is missing beside bgrun", "nothing is transferred",
                    next: "install bgrun as a whole: make install")
            ]
        }
        let list = "bgrun transfers \(options)"
        var findings = [stoppedService].compactMap(\.self)
        let unserved = views.filter { view in
            view.state == .waiting && view.remedy == TransferView.doctorRemedy
        }
        if !unserved.isEmpty, findings.isEmpty {
            findings.append(
                .fail(
                    .transfers, "\(unserved.count) transfers could move, and no service runs",
                    lastWords.map { "it said last: \(LogText.visible($0))" }
                        ?? "the host starts it again and again, in growing pauses",
                    next: "cat \(state.serviceLog)"))
        }
        if let failed = views.last(where: { $0.state == .failed }) {
            let count = views.count { $0.state == .failed }
            let problem = failed.problem.map { ": \(LogText.visible($0))" } ?? ""
            findings.append(
                .warn(
                    .transfers, "\(count) have failed, last \(failed.label)\(problem)",
                    "a host tries declared ones again when it starts", next: list))
        }
        let insecure = manifest.transfers.filter(\.isInsecure)
        if let first = insecure.first {
            findings.append(
                .warn(
                    .transfers, "\(first.name) believes any server (`tls: insecure`)",
                    "what it fetches may be anybody's", next: "bgrun lint \(path)"))
        }
        guard findings.isEmpty else { return findings }
        let left = views.count { !$0.isFinished }
        let waiting = views.first { $0.state == .waiting }
        return [
            .ok(
                .transfers,
                "\(left) to be moved" + (waiting?.reason.map { "; one waits: \($0)" } ?? ""))
        ]
    }

    /// A service that holds its lock and does nothing.
    private var stoppedService: DoctorFinding? {
        guard let holder = try? HostLock.holder(of: state.transferLock),
            ["T", "t"].contains(ProcessState.letter(of: holder.pid))
        else { return nil }
        return .fail(
            .transfers, "the transfer service, process \(holder.pid), is stopped",
            "nothing is transferred until it goes on", next: "kill -CONT \(holder.pid)")
    }

    private var lastWords: String? {
        guard let file = fopen(state.serviceLog, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").last
            .map(String.init)
    }
}

/// What the kernel says a process does.
private enum ProcessState {
    /// As in `ps`; nil if the process does not exist.
    static func letter(of pid: pid_t) -> Character? {
        guard let file = fopen("/proc/\(pid)/stat", "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        return text.lastIndex(of: ")").flatMap { text[$0...].dropFirst(2).first }
    }
}
