// SPDX-License-Identifier: Apache-2.0

/// The style of the timeline's page, and its reactions to the pointer.
package enum TimelineStyle {
    /// The colours as custom properties of CSS, for light and dark: `--completed`, `--unmetered`, ...
    package static let palette = """
        :root{color-scheme:light dark;--page:#fbfbfd;--card:#fff;--text:#1d1d1f;--soft:#6e6e73;
        --line:#e3e3e8;--lane:#f3f3f7;--power:#f2b705;--battery:#8bc9a0;--unmetered:#4b8df8;
        --metered:#b9d2fb;--idle:#9b8cf0;--alert:#f08a4b;--suspended:#c9c9d2;--completed:#1f9d55;
        --failed:#d92d20;--expired:#b5359c;--budget:#e58fa5;--waits:#f4c56a;--early:#c4c4cc;--mark:#8e8e93}
        @media(prefers-color-scheme:dark){:root{--page:#111114;--card:#1b1b20;--text:#f2f2f5;
        --soft:#9c9ca6;--line:#303038;--lane:#25252c;--power:#e0aa12;--battery:#3f7d56;
        --unmetered:#4f8ff0;--metered:#2f4d80;--idle:#7a6be0;--alert:#d97536;--suspended:#4a4a55;
        --completed:#34c172;--failed:#ff6459;--expired:#e06bc8;--budget:#a5506a;--waits:#a87f2f;--early:#54545f;
        --mark:#77777f}}

        """

    static let css =
        palette + """
            *{box-sizing:border-box}
            body{margin:0 auto;max-width:1500px;padding:32px;background:var(--page);color:var(--text);
            font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Ubuntu,sans-serif}
            h1{font-size:26px;margin:0}header p{margin:4px 0 20px;color:var(--soft)}
            figure{margin:0;padding:16px;background:var(--card);border:1px solid var(--line);
            border-radius:14px;overflow-x:auto}
            svg{display:block;width:100%;min-width:900px;height:auto;font-size:12px}
            text{fill:var(--text)}.band,.task{text-anchor:end}.band,.axis{fill:var(--soft)}
            .task{font-weight:600}.axis{text-anchor:start}
            .grid{stroke:var(--line)}.lane{fill:var(--lane)}
            .mark{stroke:var(--mark);stroke-width:1.5;stroke-dasharray:2 4}
            .quit{stroke:var(--failed);stroke-width:1.5}text.quit{fill:var(--failed);stroke:none;
            text-anchor:middle}.noon{stroke:var(--line);stroke-dasharray:1 5}
            .power{fill:var(--power)}.battery{fill:var(--battery)}.unmetered{fill:var(--unmetered)}
            .metered{fill:var(--metered)}.idle{fill:var(--idle)}.alert{fill:var(--alert)}
            .suspended{fill:var(--suspended)}.completed{fill:var(--completed)}
            .failed{fill:var(--failed)}.expired{fill:var(--expired)}.waits{fill:var(--waits)}
            .early{fill:var(--early)}.budget{fill:var(--budget)}
            [data-tip]:hover{filter:brightness(1.15)}
            .legend{display:flex;flex-wrap:wrap;gap:6px 20px;list-style:none;margin:14px 4px 24px;
            padding:0;color:var(--soft);font-size:13px}
            .legend i{display:inline-block;width:14px;height:10px;border-radius:3px;margin-right:6px}
            .table{overflow-x:auto;background:var(--card);border:1px solid var(--line);
            border-radius:14px;padding:8px 16px}
            table{border-collapse:collapse;width:100%;min-width:900px;font-size:13px}
            td{white-space:nowrap}.why div{display:flex;justify-content:space-between;gap:24px}
            .legend i.mark{background:none;border-left:2px dotted var(--mark);border-radius:0;width:2px}
            .legend i.quit{width:2px;border-radius:0}
            th,td{padding:8px 10px;text-align:right;font-variant-numeric:tabular-nums;
            vertical-align:top}
            th:first-child,.why,th:last-child{text-align:left}
            thead th{color:var(--soft);font-weight:500}tbody tr{border-top:1px solid var(--line)}
            output{position:fixed;pointer-events:none;max-width:340px;padding:8px 12px;
            border-radius:8px;background:var(--text);color:var(--page);font-size:13px;
            white-space:pre-line;box-shadow:0 4px 20px #0004;z-index:1}
            """

    static let legend =
        [
            ("completed", "completed"), ("failed", "failed"), ("expired", "expired"),
            ("waits", "due, and something is missing"), ("early", "its earliest date has not come"),
            ("unmetered", "unmetered"), ("metered", "metered"),
        ].map { "<li><i style=\"background:var(--\($0.0))\"></i>\($0.1)</li>" }.joined()
        + "<li><i class=\"mark\"></i>app opened, clock set</li>"
        + "<li><i class=\"quit\" style=\"background:var(--failed)\"></i>app force-quit</li>"

    static let script = """
        const tip=document.getElementById("tip");
        document.querySelector("svg").addEventListener("pointermove",e=>{
        const text=e.target.dataset&&e.target.dataset.tip;tip.hidden=!text;if(!text)return;
        tip.textContent=text;
        tip.style.left=Math.min(e.clientX+14,innerWidth-tip.offsetWidth-8)+"px";
        tip.style.top=Math.min(e.clientY+16,innerHeight-tip.offsetHeight-8)+"px"});
        document.querySelector("svg").addEventListener("pointerleave",()=>{tip.hidden=true});
        """
}
