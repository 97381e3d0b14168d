// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunPolicy
import Testing

@Suite("Lists of what a handler sees", .timeLimit(.minutes(10)))
struct FileViewListingTests {
    @Test(
        "separate grants from the profile, and leave out paths with the rights of their directory")
    func lists() {
        let view = SampleMachine().view { keys in
            keys.read = ["/srv", "/home/ada/photos"]
            keys.write = ["/home/ada/notes"]
        }
        #expect(view.shown(writable: false).granted == ["/home/ada/photos", "/srv"])
        #expect(
            view.shown(writable: false).others == [
                "/etc", "/home/ada/app", "/opt", "/usr",
            ])
        #expect(view.shown(writable: true).granted == ["/home/ada/notes"])
        #expect(
            view.shown(writable: true).others
                == ["/dev/null", "/home/ada/state/org.test/home"])
        #expect(view.ownDirectories == ["/dev/shm", "/tmp"])
    }
}
