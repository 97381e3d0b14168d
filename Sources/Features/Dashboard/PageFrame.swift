// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The common frame of all pages.
package struct PageFrame: Sendable {
    var dates: Dates
    /// The secret in forms; nil: this visitor may change nothing and sees no buttons.
    var formSecret: String?
    /// Whether the visitor could get more rights with the token.
    var canLogIn: Bool
    var version: String

    package init(dates: Dates, formSecret: String?, canLogIn: Bool, version: String) {
        self.dates = dates
        self.formSecret = formSecret
        self.canLogIn = canLogIn
        self.version = version
    }

    /// The same frame with another time.
    package func at(_ now: WallTime?) -> PageFrame {
        var frame = self
        if let now { frame.dates.now = now }
        return frame
    }

    /// A whole page.
    /// - Parameters:
    ///   - place: Its entry in the navigation.
    ///   - path: The links from the overview to it.
    func page(
        _ title: String, place: String = "", path: [(String, String)] = [], _ content: HTML
    ) -> String {
        func entry(_ target: String, _ name: String) -> HTML {
            "<a href=\"\(target)\"\(target == place ? " aria-current=\"page\"" as HTML : "")>\(name)</a>"
        }
        let way: HTML? =
            path.isEmpty
            ? nil
            : "<nav class=\"way\" aria-label=\"Breadcrumb\">\(path.map { "<a href=\"\($0.1)\">\($0.0)</a>" as HTML })</nav>"
        let session: HTML =
            formSecret != nil
            ? "<form method=\"post\" action=\"/logout\">\(secretField)<button class=\"link\">Log out</button></form>"
            : canLogIn ? entry("/login", "Log in") : "<span class=\"soft\">read-only</span>"
        return Pieces.file(
            "\(title) · bgrun",
            head: """
                <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
                <link rel="stylesheet" href="/assets/dashboard.css">
                <script src="/assets/dashboard.js" defer></script>
                """,
            """
            <a class="skip" href="#main">Skip to the content</a>
            <header class="top"><div class="inner">
            <a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="26" height="26">bgrun</a>
            <nav aria-label="Main">\(entry(Place.overview, "Overview"))\(entry(Place.device, "Device"))</nav>
            <span class="end"><span id="live" class="live" hidden>live</span>\(session)</span>
            </div></header>
            <main id="main">
            \(way)
            \(content)
            </main>
            <footer class="soft"><span>bgrun \(version) · \(dates.full(dates.now))</span>
            <span><a href="/metrics">metrics</a> <a href="/healthz">health</a> <a href="/api/apps">JSON</a></span></footer>
            <output id="tip" hidden></output>
            """)
    }

    private var secretField: HTML {
        "<input type=\"hidden\" name=\"secret\" value=\"\(formSecret ?? "")\">"
    }

    /// A button that changes something; nil for a visitor without that right.
    func button(_ action: String, of task: String, _ name: String) -> HTML? {
        guard formSecret != nil else { return nil }
        return """
            <form method="post" action="\(task)/\(action)">\(secretField)<button>\(name)</button></form>
            """
    }

    /// A page that reports a problem.
    package func problem(_ status: Int, _ title: String, _ text: String) -> String {
        page(
            title,
            """
            <section class="card empty"><p class="number">\(status)</p><h1>\(title)</h1><p>\(text)</p>
            <p><a href="/">Back to the overview</a></p></section>
            """)
    }

    /// The login form for the token.
    package func login(isWrong: Bool, target: String) -> String {
        let wrong: HTML? =
            isWrong ? "<p class=\"callout bad\" role=\"alert\">That is not the token.</p>" : nil
        return page(
            "Log in",
            """
            <section class="card login"><h1>Log in</h1>
            <p class="soft">The token is in the file that <code>--token-file</code> names.</p>\(wrong)
            <form method="post" action="/login"><input type="hidden" name="target" value="\(target)">
            <label>Token <input type="password" name="token" autocomplete="current-password" required autofocus></label>
            <button>Log in</button></form></section>
            """)
    }
}
