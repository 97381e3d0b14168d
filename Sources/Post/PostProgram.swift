// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import CCurl
import Glibc

/// Posts its input to a web server: `bgrun-post --timeout SECONDS --agent NAME [--headers FILE]
/// [--ca FILE] ADDRESS`. A separate process, so that the host does not link libcurl and can kill it.
///
/// Exit codes: 0 the server has accepted it; 1 it has not; 64 and 77 as those of bgrun.
package enum PostProgram {
    package static func run() -> Never {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            end(
                64,
                "use: bgrun-post --timeout SECONDS --agent NAME [--headers FILE] [--ca FILE] ADDRESS"
            )
        }
        var headers: [String] = []
        if let path = options.headersFile {
            do throws(HeaderFile.Refusal) {
                headers = try HeaderFile.read(path)
            } catch {
                end(77, "\(path): \(error.reason)")
            }
        }
        guard let body = readAll(STDIN_FILENO, limit: .max) else {
            end(1, "cannot read the event from standard input: \(String(cString: strerror(errno)))")
        }
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
            let post = Post(options, headers: headers, body: body)
        else { end(1, "libcurl cannot be used") }
        deliver(post, until: monotonic() + options.timeout * 1_000)
    }

    private static func deliver(_ post: Post, until deadline: Int) -> Never {
        var tries = 0
        while true {
            let answer = post.send(within: max(1, deadline - monotonic()))
            tries += 1
            guard let problem = answer.problem else { exit(0) }
            let left = deadline - monotonic()
            guard let pause = RetryRule.pause(after: answer, tries: tries, left: left) else {
                end(1, tries > 1 ? "\(problem) (after \(tries) tries)" : problem)
            }
            say("\(problem); trying again in \((pause + 999) / 1_000) s")
            usleep(useconds_t(pause) * 1_000)
        }
    }

    /// CLOCK_MONOTONIC in milliseconds.
    private static func monotonic() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }

    private static func say(_ text: String) {
        let line = text + "\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }

    private static func end(_ code: Int32, _ text: String) -> Never {
        say(text)
        exit(code)
    }
}

struct Options {
    var address: String
    /// The time limit of all tries together, in seconds.
    var timeout: Int
    var agent: String
    var headersFile: String?
    /// The certificates of the trusted authorities (PEM); nil: the system's.
    var authoritiesFile: String?

    init?(_ arguments: ArraySlice<String>) {
        var values: [String: String] = [:]
        var rest = arguments
        while let name = rest.first, name.hasPrefix("--") {
            guard ["--timeout", "--agent", "--headers", "--ca"].contains(name),
                let value = rest.dropFirst().first
            else { return nil }
            values[name] = value
            rest = rest.dropFirst(2)
        }
        guard rest.count == 1, let address = rest.first,
            let timeout = values["--timeout"].flatMap({ Int($0) }), (1...3_600).contains(timeout)
        else { return nil }
        self.address = address
        self.timeout = timeout
        agent = values["--agent"] ?? "bgrun"
        headersFile = values["--headers"]
        authoritiesFile = values["--ca"]
    }
}
