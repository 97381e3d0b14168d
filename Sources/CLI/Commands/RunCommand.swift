// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunPolicy

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        // For a `run` that is parsed alone, without completion scripts.
        _superCommandName: "bgrun",
        abstract: "Run an app's tasks in the foreground until nothing is pending.",
        discussion: """
            SIGTERM and SIGINT expire what runs (reason: shutdown), wait for it, then end the \
            host; a second one kills what runs. With --stay and without a terminal, SIGHUP makes \
            it read the manifest again.

            --once --quiet is for cron and its mail: it prints nothing if all went well, else what \
            failed, with the last lines of its output.

            A changed manifest takes effect at once: what runs continues, unless it would now be \
            started differently (reason: manifest-changed). An invalid one is reported and \
            ignored.

            With --device simulated the real handlers run with the device, user actions and clock \
            of a scenario, until its end. Their state is temporary, unless --state is given. A \
            report follows.

            Example: bgrun run --manifest notes.yaml --once
            """)

    @OptionGroup var app: ManifestOptions
    @OptionGroup var device: DeviceOptions

    @Flag(help: "Launch what is eligible now, wait for it, and exit (for cron).")
    var once = false

    @Flag(help: "Continue when nothing is pending, until a signal comes.")
    var stay = false

    @Option(
        help: .value(
            "duration",
            "Wait this long for another run of the app to end, instead of exiting with 75 at once."),
        transform: DurationArgument.parse)
    var waitLock: Interval?

    @OptionGroup var logging: LogOptions

    @Option(help: .hidden)
    var share: Int32?

    func validate() throws {
        if once, stay { throw ValidationError("--once and --stay cannot be combined") }
        if stay, device.device == .simulated {
            throw ValidationError("--stay does not apply to --device simulated: its scenario ends")
        }
    }

    var appRun: AppRun {
        AppRun(
            file: ManifestFile(path: app.manifest), places: app.place.states,
            rehearsal: device.rehearsal, once: once, stay: stay, waitLock: waitLock,
            logging: logging.style, share: share)
    }

    func run() throws { try appRun.run() }
}
