// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// A message from the supervisor to the host about an attempt.
package enum AttemptNotice {
    /// The plugin for which the attempt waits is loaded.
    case loaded(attempt: Int64, plugin: String, WorkerMessage.Loaded)
    /// The plugin has registered a handler after it was loaded; attempt 0: between attempts.
    case registered(attempt: Int64, plugin: String, WorkerMessage.Loaded)
    /// The worker of the launched attempt runs another one first.
    case waits(attempt: Int64)
    /// The attempt that waited for its worker begins.
    case began(attempt: Int64)
    case progress(attempt: Int64, completed: Int64, total: Int64)
    case title(attempt: Int64, title: String?, subtitle: String?)
    /// A line of the handler's log, or of its output; attempt 0: from a worker between attempts.
    case line(attempt: Int64, HandlerLine)
    /// A call of the handler; `answer` must be called once, at any later time.
    case call(attempt: Int64, WorkerMessage.Call, answer: CallAnswer)
    /// The handler wants to continue after its report, until it ends this assertion.
    case assertionBegan(attempt: Int64, id: Int64)
    case assertionEnded(attempt: Int64, id: Int64)
    /// The handler has reported and has not returned yet, or holds an assertion.
    case reported(attempt: Int64)
    /// The worker could not begin the attempt for lack of a resource, and has ended.
    case deferred(attempt: Int64, Resource)
    /// Everything that the attempt started has ended.
    case ended(attempt: Int64, AttemptEnd)
}

/// The plugin of an attempt's worker.
package enum AttemptPlugin {
    /// The attempt has ended, or calls foreign functions.
    case none
    case loading
    /// The plugin of this name is loaded.
    case loaded(String, WorkerMessage.Loaded)
}

package struct HandlerLine: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        case standardOutput
        case standardError
        /// `bgrun_host.log`, with its level: 0 debug, 1 info, 2 warning, 3 error.
        case log(UInt8)
    }

    package var source: Source
    package var text: String

    package init(source: Source, text: String) {
        self.source = source
        self.text = text
    }
}

/// The last lines of an attempt that wrote more than is kept. They replace others.
package struct LastLines: Equatable, Sendable {
    /// The numbers of the replaced lines, within the attempt and from 1 on.
    package var replaced: ClosedRange<Int64>
    /// The number of the first of `lines`.
    package var first: Int64
    package var lines: [Line]

    package struct Line: Equatable, Sendable {
        package var line: HandlerLine
        /// The time since it was written.
        package var age: Interval
    }
}

package struct AttemptEnd: Equatable, Sendable {
    package var outcome: Outcome
    /// The handler's message, or the reason why it was refused or lost.
    package var message: String?
    /// CLOCK_MONOTONIC when the handler was entered, if reported.
    package var enteredMonotonic: Int64?
    /// Lines that were not kept.
    package var droppedLines: Int64
    /// Its last lines, if it wrote more than is kept.
    package var lastLines: LastLines?
    /// The lines missing before `lastLines`.
    package var skippedLines: Int64 { droppedLines - Int64(lastLines?.lines.count ?? 0) }
    /// Its processor time in milliseconds; nil: unknown.
    package var processorMilliseconds: Int64?

    package init(
        outcome: Outcome, message: String? = nil, enteredMonotonic: Int64? = nil,
        droppedLines: Int64 = 0, lastLines: LastLines? = nil, processorMilliseconds: Int64? = nil
    ) {
        self.outcome = outcome
        self.message = message
        self.enteredMonotonic = enteredMonotonic
        self.droppedLines = droppedLines
        self.lastLines = lastLines
        self.processorMilliseconds = processorMilliseconds
    }
}
