// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

extension ConformanceCase {
    /// The rules for every attempt.
    static let running = [
        ConformanceCase(
            handler: "run.completes", "completes every attempt",
            remedy: "call complete() on every path, also where launch returns early; "
                + "raise --timeout when the work takes longer", needs: .nothing
        ) { handler in
            let plain = try handler.plain
            if plain.report == nil { return plain.completion }
            if plain.cannotBeTold { return .failed("no report within the time limit") }
            return plain.isOverdue
                ? .warned("it took longer than the time limit, and completed when it was told")
                : .passed
        },
        ConformanceCase(
            handler: "run.succeeds", "reports success with the parameters of the manifest",
            remedy: "correct the manifest, or what it names; the message says what is wrong"
        ) { handler in
            guard handler.task.isReal else {
                return .skipped("it was given no parameters; give --manifest and --task")
            }
            let plain = try handler.plain
            return plain.report?.isSuccess == true ? .passed : .failed(plain.message)
        },
        ConformanceCase(
            handler: "run.once", "reports an attempt once",
            remedy: "call complete() from one place, or guard it with an atomic flag"
        ) { handler in
            try handler.series.records.contains { !$0.isTold && $0.hasCompletedAgain }
                ? .failed("complete was called again after the report; it changed nothing")
                : .passed
        },
        ConformanceCase(
            handler: "run.returns", "returns from launch once it has reported",
            remedy: "return from launch after complete(); what stays is ended by SIGTERM"
        ) { handler in
            let plain = try handler.plain
            return plain.isIdle || !plain.heldAssertions.isEmpty
                ? .passed : .failed("after its report \(plain.silence)")
        },
        ConformanceCase(
            handler: "run.channel", "leaves bgrun's descriptors alone",
            remedy: "close and write to no descriptor that the plugin has not opened itself",
            needs: .nothing
        ) { handler in
            let plain = try handler.plain
            if plain.spokeNonsense { return .failed("it wrote to the channel to bgrun") }
            return plain.hasClosedChannel ? .failed("it closed the channel to bgrun") : .passed
        },
        ConformanceCase(
            handler: "run.late", "makes no call on an attempt that has ended",
            remedy: "keep no bgrun_task after its report; such calls do nothing"
        ) { handler in
            let records = try handler.series.records
            let late = records.flatMap(\.remarks).first {
                $0.status == BGRUN_E_STATE && $0.call != "complete"
                    && $0.call != "register_handler"
            }
            return late.map { .warned("\($0.call) was called after the end; it did nothing") }
                ?? .passed
        },
        ConformanceCase(
            handler: "run.registers", "registers handlers during init only",
            remedy: "call register_handler from init; later calls do nothing"
        ) { handler in
            try handler.plain.remarks.contains { $0.call == "register_handler" }
                ? .failed("register_handler was called after init") : .passed
        },
        ConformanceCase(
            handler: "run.arguments", "calls the host with arguments it accepts",
            remedy: "see the comment of the function in bgrun_plugin.h"
        ) { handler in
            let bad = try handler.plain.remarks.first {
                $0.status == BGRUN_E_INVALID && !["text", "register_handler"].contains($0.call)
            }
            return bad.map { .failed("\($0.call) was refused: an argument is out of range") }
                ?? .passed
        },
        ConformanceCase(
            handler: "run.text", "writes UTF-8",
            remedy: "convert what comes from elsewhere before it becomes a message, title or line"
        ) { handler in
            try handler.plain.remarks.contains { $0.call == "text" }
                ? .failed("a message, title or line was no UTF-8") : .passed
        },
        ConformanceCase(
            handler: "run.progress", "reports progress from 0 to its total, and never back",
            remedy: "count up; 0 stands for a total that is not known"
        ) { handler in
            let progress = try handler.plain.progress
            if let over = progress.first(where: { $0.total > 0 && $0.completed > $0.total }) {
                return .failed("\(over.completed) of \(over.total) was reported")
            }
            let back = zip(progress, progress.dropFirst()).first {
                $1.completed < $0.completed && $1.total == $0.total
            }
            return back.map { .failed("\($1.completed) was reported after \($0.completed)") }
                ?? .passed
        },
        ConformanceCase(
            handler: "run.assertions", "ends every assertion it begins",
            remedy: "end each assertion, also in expire"
        ) { handler in
            let held = try handler.plain.heldAssertions
            return held.isEmpty
                ? .passed : .failed("held to the end: \(held.joined(separator: ", "))")
        },
        ConformanceCase(
            handler: "run.submits", "submits only identifiers the manifest permits",
            remedy: "add the identifier to permitted_identifiers, or submit another"
        ) { handler in
            guard handler.knowsPermitted else {
                return .skipped("without --manifest the permitted identifiers are unknown")
            }
            let refused = try handler.plain.refusedIdentifiers
            return refused.isEmpty
                ? .passed : .failed("not permitted: \(refused.joined(separator: ", "))")
        },
    ]
}
