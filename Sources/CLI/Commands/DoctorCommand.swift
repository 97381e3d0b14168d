// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunManifest

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check step by step why tasks do not run.",
        discussion: """
            Without an app, only the machine is checked. The checks come in this order: the \
            installation, the manifest, the handlers, their confinement, the host, past attempts, and why pending \
            requests wait. Each finding that is not ok states what it means and which command comes \
            next. Nothing is changed.

            Exit codes: 0 no check failed; 1 one did.

            Example: bgrun doctor -m notes.yaml
            """)

    @OptionGroup var app: AppChoice

    @Option(
        help: .value(
            "symptom",
            "Only what may cause this: \(Symptom.allCases.map(\.rawValue).joined(separator: ", "))."
        ),
        transform: symptom)
    var symptom: Symptom?

    @OptionGroup var output: JSONOption

    func run() throws {
        let findings = try self.findings()
        print(output.json ? try JSONOutput.text(findings) : text(findings))
        if findings.contains(where: { $0.status == .fail }) { throw Exit.attemptFailed }
    }

    private func findings() throws -> [DoctorFinding] {
        let machine = MachineDoctor()
        var findings: [DoctorFinding] = []
        var doctor: AppDoctor?
        var checks = symptom?.checks ?? DoctorCheck.allCases
        if let manifest = try app.manifest ?? app.name.map(app.place.states.manifest) {
            do throws(ManifestProblems) {
                doctor = try appDoctor(manifest)
            } catch {
                let found = error.firstError?.line ?? manifest
                findings.append(
                    .fail(
                        .manifest, found, "no host starts with it", next: "bgrun lint \(manifest)"))
            }
        }
        if let doctor, doctor.isStoreUnreadable, !checks.contains(.store) {
            checks.insert(.store, at: 0)
        }
        if let doctor, doctor.problem != nil, !checks.contains(.manifest) {
            checks.insert(.manifest, at: 0)
        }
        for check in checks {
            findings += machine.findings(check)
            if let doctor {
                findings += try doctor.findings(check)
            } else if check == .confine {
                findings += ConfinementDoctor.ofMachine
            }
        }
        return findings
    }

    private func appDoctor(_ path: String) throws(ManifestProblems) -> AppDoctor? {
        let (manifest, warnings, problem): (Manifest, Int, String?)
        do throws(ManifestProblems) {
            let reading = try ManifestReader.read(path: path, options: .installed().of(path))
            (manifest, warnings, problem) = (reading.manifest, reading.warnings.count, nil)
        } catch {
            // Its host runs with the previous manifest.
            guard let hosted = try? app.manifestOfHost(of: path) else { throw error }
            (manifest, warnings, problem) = (hosted, 0, error.firstError?.line ?? path)
        }
        guard let state = try? app.stateDirectory(of: manifest.app) else { return nil }
        return AppDoctor(
            path: path, manifest: manifest, warnings: warnings, problem: problem, state: state,
            isStoreUnreadable: state.isStoreUnreadable,
            options: "-m \(path)" + app.place.arguments)
    }

    private func text(_ findings: [DoctorFinding]) -> String {
        let width = DoctorCheck.allCases.map(\.rawValue.count).max() ?? 0
        return findings.map { finding in
            let head =
                finding.status.rawValue.padded(to: 6) + finding.check.rawValue.padded(to: width + 2)
            let indent = "\n" + String(repeating: " ", count: width + 8)
            return head + finding.found + (finding.meaning.map { indent + $0 } ?? "")
                + (finding.next.map { indent + "next: " + $0 } ?? "")
        }.joined(separator: "\n")
    }

    @Sendable
    private static func symptom(_ text: String) throws -> Symptom {
        guard let symptom = Symptom(rawValue: text) else {
            throw ValidationError(
                "\"\(text)\" is not a symptom; it must be one of "
                    + Symptom.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return symptom
    }
}
