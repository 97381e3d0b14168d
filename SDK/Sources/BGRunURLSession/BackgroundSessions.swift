// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Synchronization

/// The background sessions of this process; a test with a separate runtime has separate ones.
enum BackgroundSessions {
    private struct Entry {
        let runtime: PluginRuntime
        var sessions: [BackgroundSession] = []
    }

    private static let entries = Mutex<[Entry]>([])

    static func add(_ session: BackgroundSession) {
        let runtime = session.runtime
        let (isNew, isSecond) = entries.withLock { entries in
            guard let place = entries.firstIndex(where: { $0.runtime === runtime }) else {
                entries.append(Entry(runtime: runtime, sessions: [session]))
                return (true, false)
            }
            let before = entries[place].sessions.count
            entries[place].sessions.removeAll { $0.identifier == session.identifier }
            entries[place].sessions.append(session)
            return (false, entries[place].sessions.count == before)
        }
        if isSecond {
            runtime.log(
                .warning,
                "A background URLSession with identifier \(session.identifier) already exists! "
                    + "Only the new one hears of its tasks; keep one session per identifier.")
        }
        guard isNew else { return }
        runtime.add(
            PluginObserver(willLaunch: { attempt in
                for session in sessions(of: runtime) { session.begin(attempt) }
            }))
    }

    static func remove(_ session: BackgroundSession) {
        entries.withLock { entries in
            guard let place = entries.firstIndex(where: { $0.runtime === session.runtime }) else {
                return
            }
            entries[place].sessions.removeAll { $0 === session }
        }
    }

    private static func sessions(of runtime: PluginRuntime) -> [BackgroundSession] {
        entries.withLock { entries in
            entries.first { $0.runtime === runtime }?.sessions ?? []
        }
    }
}
