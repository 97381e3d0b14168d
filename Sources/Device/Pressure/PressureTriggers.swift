// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Glibc

/// Makes the kernel report when pressure exceeds its limits (PSI triggers). Where that is not permitted, polls read
/// pressure.
final class PressureTriggers {
    /// Ordinary users may only ask for windows of multiples of two seconds (Linux 6.5).
    private static let window = 2_000_000
    private let loop: EventLoop
    private var descriptors: [Int32] = []

    /// Whether the kernel accepted all triggers.
    var isComplete: Bool { descriptors.count == 3 }

    /// `changed` is called at most once per window and trigger while pressure lasts.
    init(_ loop: EventLoop, _ files: SystemFiles, changed: @escaping () -> Void) {
        self.loop = loop
        let limits = PressureRule.limits
        for (file, kind, share) in [
            ("cpu", "some", limits.processor), ("memory", "some", limits.memory),
            ("io", "full", limits.disk),
        ] {
            let trigger = "\(kind) \(share * Self.window / 10_000) \(Self.window)"
            watch("\(files.root)\(PressureSnapshot.path)/\(file)", trigger, changed)
        }
    }

    deinit {
        for descriptor in descriptors {
            loop.forget(descriptor)
            close(descriptor)
        }
    }

    private func watch(_ path: String, _ trigger: String, _ changed: @escaping () -> Void) {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        // The kernel requires the terminating zero.
        let written = trigger.withCString { write(descriptor, $0, strlen($0) + 1) }
        guard written > 0, isPollable(descriptor),
            (try? loop.watch(
                descriptor, for: .priority,
                { [unowned self] readiness in
                    // A failed trigger would stay ready forever.
                    if readiness == .priority { changed() } else { forget(descriptor) }
                })) != nil
        else {
            close(descriptor)
            return
        }
        descriptors.append(descriptor)
    }

    private func forget(_ descriptor: Int32) {
        descriptors.removeAll { $0 == descriptor }
        loop.forget(descriptor)
        close(descriptor)
    }

    /// A regular file, as in a test's tree, accepts the text but cannot be polled.
    private func isPollable(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_size == 0
    }
}
