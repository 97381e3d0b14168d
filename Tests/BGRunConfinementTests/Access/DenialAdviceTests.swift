// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunPolicy
import Testing

@Suite("Advice after a denied access", .timeLimit(.minutes(10)))
struct DenialAdviceTests {
    private static func advice(
        _ lines: String..., on machine: SampleMachine = SampleMachine(),
        _ change: (inout ConfinementKeys) -> Void = { _ in }
    ) -> String? {
        DenialAdvice(machine.rules(change)).text(for: lines)
    }

    @Test("names what is not permitted, and the grant")
    func grant() {
        #expect(
            Self.advice("tar: /home/ada/notes.tar: Cannot open: Permission denied")
                == "confined: writing /home/ada/notes.tar is not permitted; "
                + "create a directory for it and grant that")
        #expect(
            Self.advice("tar: /home/ada/photos/a.tar: Cannot open: Permission denied")
                == "confined: writing /home/ada/photos/a.tar is not permitted; "
                + "`confine: {write: [/home/ada/photos]}` would allow it")
        #expect(
            Self.advice("cat: /home/ada/notes: Permission denied")
                == "confined: reading /home/ada/notes is not permitted; "
                + "`confine: {read: [/home/ada/notes]}` would allow it")
        #expect(
            Self.advice("sh: 1: cannot create /home/ada/app/notes.yaml: Read-only file system")
                == "confined: writing /home/ada/app/notes.yaml is not permitted: "
                + "/home/ada/app/notes.yaml may only be read (it decides what runs next)")
    }

    @Test("is not given where the confinement allows it, or nothing enforces it")
    func allowed() {
        let line = "tar: /home/ada/notes.tar: Cannot open: Permission denied"
        #expect(Self.advice(line) { $0.write = ["/home/ada"] } == nil)
        #expect(Self.advice(line) { $0.profile = Confinement.Profile.none } == nil)
        #expect(Self.advice("cat: /etc/shadow: Permission denied") == nil)
        var machine = SampleMachine()
        machine.layers = MachineLayers(namespaceProblem: "EPERM", landlock: 0, hasSeccomp: true)
        #expect(Self.advice(line, on: machine) == nil)
    }

    @Test("is about the last line that the confinement explains")
    func last() throws {
        let advice = Self.advice(
            "cat: /root: Permission denied", "cat: /home/ada/notes: Permission denied",
            "cat: /etc/shadow: Permission denied", "giving up")
        #expect(try #require(advice).contains("/home/ada/notes"))
    }

    @Test("explains a missing file only if it is hidden and there")
    func hidden() throws {
        let line = "cat: /home/ada/notes: No such file or directory"
        #expect(try #require(Self.advice(line)).hasPrefix("confined: reading /home/ada/notes"))
        let new = "touch: cannot touch '/home/ada/photos/new': No such file or directory"
        #expect(try #require(Self.advice(new)).contains("{write: [/home/ada/photos]}"))
        #expect(Self.advice("cat: /home/ada/none: No such file or directory") == nil)
        #expect(Self.advice("cat: /srv/none: No such file or directory") == nil)
        var machine = SampleMachine()
        machine.layers.namespaceProblem = "EPERM"
        #expect(Self.advice(line, on: machine) == nil)
    }
}
