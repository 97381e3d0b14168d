// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunStorage
import BGRunSystem

extension AppDoctor {
    /// Whether pending transfers make progress.
    var transfers: [DoctorFinding] {
        let views = (try? TransferAccess(state: state).views()) ?? []
        guard !views.isEmpty || !manifest.transfers.isEmpty else { return [] }
        guard Installation().transferService != nil else {
            let missing = DoctorFinding.fail(
                .transfers, "bgrun-transferd is missing beside bgrun", "nothing is transferred",
                next: "install bgrun as a whole: make install")
            return [missing]
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
                    beginning(of: state.serviceLog, limit: 65_536)?.split(separator: "\n").last
                        .map { "it said last: \(LogText.visible(String($0)))" }
                        ?? "the host restarts it, each time after a longer pause",
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
                    .transfers, "\(first.name) trusts any server (`tls: insecure`)",
                    "what it fetches may be forged", next: "bgrun lint \(path)"))
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

    /// A service that holds its lock but is stopped.
    private var stoppedService: DoctorFinding? {
        guard let holder = try? HostLock.holder(of: state.transferLock) else { return nil }
        let process = ProcFile.text("/proc/\(holder.pid)/stat")
        // The letter after the name, as in `ps`.
        let letter = process.lastIndex(of: ")").flatMap { process[$0...].dropFirst(2).first }
        guard ["T", "t"].contains(letter) else { return nil }
        return .fail(
            .transfers, "the transfer service, process \(holder.pid), is stopped",
            "nothing is transferred until it continues", next: "kill -CONT \(holder.pid)")
    }
}
