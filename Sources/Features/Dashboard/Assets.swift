// SPDX-License-Identifier: Apache-2.0

/// All files that pages load.
package enum Assets {
    /// The type and the text of the named file; nil if it does not exist.
    package static func file(_ name: String) -> (type: String, text: String)? {
        switch name {
        case "dashboard.css": ("text/css; charset=utf-8", style)
        case "dashboard.js": ("text/javascript; charset=utf-8", script)
        case "icon.svg": ("image/svg+xml", icon)
        default: nil
        }
    }

    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" \
        fill="#1f6feb"/><path d="M8 22V10h5.2a3 3 0 0 1 1.9 5.4A3.4 3.4 0 0 1 13.4 22Z" fill="none" \
        stroke="#fff" stroke-width="2.6" stroke-linejoin="round"/><path d="M8 16h5.5" stroke="#fff" \
        stroke-width="2.6"/><circle cx="23" cy="20" r="3" fill="#7ee2a8"/></svg>
        """

    static let style = """
        :root{color-scheme:light dark;--page:#fbfbfd;--card:#fff;--text:#1d1d1f;--soft:#5f5f66;--line:#e3e3e8;
        --track:#f3f3f7;--power:#f2b705;--battery:#8bc9a0;--unmetered:#4b8df8;--metered:#b9d2fb;--idle:#9b8cf0;
        --alert:#f08a4b;--suspended:#c9c9d2;--completed:#1f9d55;--failed:#d92d20;--expired:#b5359c;--budget:#e58fa5;
        --waits:#f4c56a;--early:#c4c4cc;--mark:#8e8e93;--accent:#0b62d6;--good-back:#e3f5ea;--good:#14683a;
        --bad-back:#fdebe9;--bad:#a8190f;--warn-back:#fdf3dc;--warn:#7a5200;--info-back:#e9f1fe;
        --shadow:0 1px 2px #0000000d,0 4px 16px #0000000a}
        @media(prefers-color-scheme:dark){:root{--page:#111114;--card:#1b1b20;--text:#f2f2f5;--soft:#a3a3ad;
        --line:#303038;--track:#25252c;--power:#e0aa12;--battery:#3f7d56;--unmetered:#4f8ff0;--metered:#2f4d80;
        --idle:#7a6be0;--alert:#d97536;--suspended:#4a4a55;--completed:#34c172;--failed:#ff6459;--expired:#e06bc8;
        --budget:#a5506a;--waits:#a87f2f;--early:#54545f;--mark:#77777f;--accent:#7db2ff;--good-back:#12331f;
        --good:#6fdc9d;--bad-back:#3f1715;--bad:#ff9d95;--warn-back:#3a2c0c;--warn:#f2c463;--info-back:#16263f;
        --shadow:none}}
        *{box-sizing:border-box}
        html{scroll-behavior:smooth}
        body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",
        Roboto,Ubuntu,Cantarell,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums;
        -webkit-text-size-adjust:100%}
        a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
        :focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
        .skip{position:absolute;left:-999px}.skip:focus{left:16px;top:12px;background:var(--card);padding:8px 12px;
        z-index:3}
        .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .soft{color:var(--soft);font-weight:400}
        .top{position:sticky;top:0;z-index:2;background:color-mix(in srgb,var(--page) 88%,transparent);
        backdrop-filter:blur(12px);border-bottom:1px solid var(--line)}
        .inner,main,footer{max-width:1240px;margin:0 auto;padding:0 24px}
        .inner{display:flex;align-items:center;gap:24px;height:56px}
        .brand{display:flex;align-items:center;gap:10px;font-weight:650;font-size:17px;color:var(--text);
        letter-spacing:-.01em}.brand:hover{text-decoration:none}
        .top nav{display:flex;gap:4px}
        .top nav a,.spans a{padding:5px 12px;border-radius:8px;color:var(--soft)}
        .top nav a[aria-current],.spans a[aria-current]{background:var(--track);color:var(--text);font-weight:550}
        .end{margin-left:auto;display:flex;align-items:center;gap:16px;font-size:14px}
        .live{display:inline-flex;align-items:center;gap:6px;color:var(--good);font-size:13px}
        .live[hidden]{display:none}
        .live::before{content:"";width:8px;height:8px;border-radius:50%;background:var(--completed)}
        main{padding-top:24px;padding-bottom:24px}
        footer{display:flex;justify-content:space-between;flex-wrap:wrap;gap:8px;padding-top:12px;padding-bottom:32px;
        font-size:13px}footer a{margin-left:14px}
        .way{font-size:14px;margin-bottom:6px;display:flex;flex-wrap:wrap}.way a::after{content:"›";margin:0 8px;
        color:var(--soft);display:inline-block}
        h1{font-size:24px;line-height:1.25;letter-spacing:-.015em;margin:0;overflow-wrap:anywhere}
        h2{font-size:20px;letter-spacing:-.01em;margin:0;overflow-wrap:anywhere}h2 a{color:inherit}
        h3,.card h2{font-size:15px;font-weight:600;letter-spacing:0;margin:0 0 12px}
        h3 .more{float:right;font-weight:400;font-size:14px}
        .heading{display:flex;align-items:center;flex-wrap:wrap;gap:8px 16px;margin:0 0 14px}
        .spans{display:flex;gap:4px}.actions{display:flex;gap:8px;margin-left:auto;flex-wrap:wrap}
        .app{margin-top:36px}.app:first-of-type{margin-top:24px}
        .card{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:18px 20px;
        margin:0 0 16px;box-shadow:var(--shadow);min-width:0}
        .columns{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px}
        .columns.uneven{grid-template-columns:minmax(0,3fr) minmax(0,2fr)}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin-bottom:16px}
        .tile{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:14px 18px;
        display:flex;flex-direction:column;font-size:13px;box-shadow:var(--shadow)}
        .tile strong{font-size:26px;line-height:1.25;font-weight:620;letter-spacing:-.02em}
        .tile.bad strong{color:var(--bad)}
        .pill,.badge{display:inline-block;border-radius:99px;padding:1px 10px;font-size:13px;white-space:nowrap}
        .pill.on{background:var(--good-back);color:var(--good)}.pill.off{background:var(--track);color:var(--soft)}
        .badge{background:var(--track);color:var(--soft);border-radius:6px;padding:1px 8px}
        .badge.completed,.badge.measured{background:var(--good-back);color:var(--good)}
        .badge.failed{background:var(--bad-back);color:var(--bad)}
        .badge.expired{background:color-mix(in srgb,var(--expired) 16%,transparent);
        color:color-mix(in srgb,var(--expired) 78%,var(--text))}
        .badge.interrupted,.badge.assumed{background:var(--warn-back);color:var(--warn)}
        .callout{margin:0 0 8px;padding:8px 14px;border-radius:10px;overflow-wrap:anywhere}
        .callout.bad{background:var(--bad-back)}.callout.warn{background:var(--warn-back)}
        .callout.info{background:var(--info-back)}.callout .soft{margin-left:8px}
        .callout .badge{background:color-mix(in srgb,var(--text) 9%,transparent);color:inherit;margin:0 4px}
        .plain{list-style:none;margin:0;padding:0}.card .plain>li:not(.callout){padding:9px 0;
        border-top:1px solid var(--line)}.card .plain>li:first-child{border-top:0;padding-top:0}
        .line{display:flex;align-items:center;justify-content:space-between;gap:12px;min-width:0}
        .line>:first-child{overflow-wrap:anywhere;min-width:0}.line>.line{justify-content:flex-start;gap:8px}.line>.soft{font-size:13px;flex-shrink:0}
        .card .plain.bars>li{border:0;padding:3px 0;font-size:13px}
        .bars .line>:first-child{flex:0 1 140px}.bars .bar{flex:1}.bars .line>:last-child{min-width:52px;
        text-align:right}
        .clip{display:block;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;font-size:13px;max-width:100%}
        .note{font-size:13px;margin:10px 0 0}
        .budget{font-size:13px;display:inline-flex;align-items:center;gap:8px}.budget .bar{width:64px}
        .bar{display:block;height:7px;border-radius:4px;background:var(--track)}.bar rect{fill:var(--accent)}
        progress{appearance:none;border:0;height:7px;border-radius:4px;background:var(--track);overflow:hidden}
        progress{width:100%;display:block;margin:6px 0}
        progress::-webkit-progress-bar{background:var(--track);border:0;border-radius:4px;
        height:7px}
        progress::-webkit-progress-value{background:var(--accent);border-radius:4px;transition:inline-size .4s}
        progress::-moz-progress-bar{background:var(--accent)}
        .percent{min-width:42px;text-align:right}.wide{margin-bottom:16px}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;width:100%;font-size:14px}
        th,td{padding:8px 12px 8px 0;text-align:left;vertical-align:top}td{overflow-wrap:break-word}
        th{color:var(--soft);font-weight:500;font-size:13px;white-space:nowrap}
        tbody tr{border-top:1px solid var(--line)}td .clip{max-width:320px}
        td .badge,td time,td:not(:first-child){white-space:normal}
        .mark{display:inline-block;min-width:26px;text-align:center;font-size:12px;border-radius:6px;margin-right:8px}
        .mark.good{background:var(--good-back);color:var(--good)}.mark.bad{background:var(--bad-back);color:var(--bad)}
        .mark.pass{background:var(--track);color:var(--soft)}
        .dot{display:inline-block;width:9px;height:9px;border-radius:50%;margin-right:8px}
        .dot.waits,.legend .waits{background:var(--waits)}.dot.early,.legend .early{background:var(--early)}
        .legend .completed{background:var(--completed)}.legend .failed{background:var(--failed)}
        .legend .expired{background:var(--expired)}.legend .interrupted{background:var(--alert)}
        .legend .unmetered{background:var(--unmetered)}.legend .metered{background:var(--metered)}
        .legend .event{background:var(--mark);width:2px}.legend .quit{background:var(--failed);width:2px}
        .legend{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:12px 0 0;padding:0;
        color:var(--soft);font-size:13px}
        .legend i{display:inline-block;width:13px;height:9px;border-radius:3px;margin-right:6px}
        .row{display:grid;grid-template-columns:190px 1fr;align-items:center;gap:14px;font-size:13px}
        .row .name{text-align:right;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
        .row.band .name{color:var(--soft)}.row.track .name{font-weight:550;color:var(--text)}
        .strip{display:block;width:100%;height:26px;border-radius:5px;overflow:hidden}
        .track .strip{background:var(--track);margin:3px 0}.band .strip{height:16px;margin:2px 0}
        .axis .strip{height:18px;font-size:12px;overflow:visible}.axis text{fill:var(--soft)}.gap{height:8px}
        .grid{stroke:var(--line)}line.event{stroke:var(--mark);stroke-dasharray:2 4}line.quit{stroke:var(--failed)}
        rect.suspended{fill:var(--suspended)}rect.budget{fill:var(--budget)}rect.event{fill:var(--mark)}rect.quit{fill:var(--failed)}
        .power{fill:var(--power)}.battery{fill:var(--battery)}.unmetered{fill:var(--unmetered)}
        .metered{fill:var(--metered)}.idle{fill:var(--idle)}.alert{fill:var(--alert)}
        rect.completed,.runs{fill:var(--completed)}rect.failed{fill:var(--failed)}rect.expired{fill:var(--expired)}
        rect.interrupted{fill:var(--alert)}rect.waits{fill:var(--waits)}rect.early{fill:var(--early)}
        .runs{opacity:.6}rect:hover{filter:brightness(1.15)}
        .chart{display:block;width:100%;height:90px}.chart+.line{font-size:13px;margin:6px 0 10px}
        .share{display:flex;align-items:center;gap:10px}.share svg{width:72px;height:8px;border-radius:4px}
        dl{display:grid;grid-template-columns:max-content 1fr;gap:6px 20px;margin:0;font-size:14px}
        dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
        pre{margin:0;padding:12px 14px;background:var(--track);border-radius:10px;overflow:auto;max-height:70vh;
        font:13px/1.55 ui-monospace,"SF Mono","DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre-wrap;
        overflow-wrap:anywhere}
        pre span{display:block}pre time{color:var(--soft);user-select:none;margin-right:8px}
        pre .stderr{color:var(--bad)}code{font:13px ui-monospace,"DejaVu Sans Mono",Menlo,monospace}
        button{font:inherit;font-size:14px;padding:5px 14px;border-radius:8px;border:1px solid var(--line);
        background:var(--card);color:var(--text);cursor:pointer}button:hover{border-color:var(--accent)}
        button.link{border:0;padding:0;background:none;color:var(--accent)}form{margin:0}
        .running form{margin-top:6px}
        .empty{text-align:center;padding:56px 20px}.empty .number{font-size:52px;margin:0;color:var(--soft)}
        .login{max-width:420px;margin:48px auto}.login h1{margin-bottom:8px}
        .login input{display:block;width:100%;font:inherit;padding:8px 10px;margin:4px 0 14px;border-radius:8px;
        border:1px solid var(--line);background:var(--page);color:inherit}
        output{position:fixed;pointer-events:none;max-width:340px;padding:8px 12px;border-radius:8px;z-index:4;
        background:var(--text);color:var(--page);font-size:13px;white-space:pre-line;box-shadow:0 4px 20px #0004}
        output[hidden]{display:none}
        @media(max-width:760px){.inner,main,footer{padding-left:16px;padding-right:16px}.inner{gap:14px}
        .columns,.columns.uneven{grid-template-columns:minmax(0,1fr);gap:0}.card{padding:14px 16px;border-radius:12px}
        .tiles{grid-template-columns:repeat(2,1fr);gap:10px}.tile{padding:10px 14px}.tile strong{font-size:22px}
        .row{grid-template-columns:1fr;gap:1px}.row .name{text-align:left;margin-top:4px}.row.axis span{display:none}
        .end .soft{display:none}
        thead{display:none}tbody tr{display:block;padding:8px 0}tbody tr:first-child{border-top:0}
        td{display:flex;overflow-wrap:anywhere;justify-content:space-between;gap:16px;padding:2px 0;text-align:right}
        td::before{content:attr(data-name);color:var(--soft);font-size:13px;text-align:left;flex-shrink:0}
        td:first-child{font-weight:550;text-align:left;justify-content:flex-start}td:first-child::before{content:none}
        td.none{display:none}h1{font-size:20px}td .clip{max-width:60vw}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}}
        @media(prefers-reduced-motion:reduce){*{transition:none!important;scroll-behavior:auto!important}}
        @media print{.top,.actions,form{display:none}.card{break-inside:avoid;box-shadow:none}}

        """

    /// Keeps elements marked `data-live` up to date while the page is visible, and shows tips beside the pointer.
    /// Requests the whole page, so that it always shows what the server would.
    private static let script = """
        "use strict";
        const sign = document.getElementById("live");
        const tip = document.getElementById("tip");
        let timer = 0, pause = 2000;

        async function refresh() {
          timer = 0;
          if (document.hidden) return;
          try {
            const answer = await fetch(location.href, {headers: {"X-Live": "1"}, redirect: "error"});
            if (!answer.ok) throw new Error(answer.status);
            const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
            for (const old of document.querySelectorAll("[data-live]")) {
              const next = fresh.getElementById(old.id);
              if (!next || old.contains(document.activeElement) && document.activeElement !== document.body) continue;
              if (old.dataset.last !== next.innerHTML) {
                old.dataset.last = next.innerHTML;
                old.replaceChildren(...next.childNodes);
              }
            }
            sign.textContent = "live";
            pause = 2000;
          } catch {
            sign.textContent = "no answer";
            pause = Math.min(pause * 2, 60000);
          }
          timer = setTimeout(refresh, pause);
        }

        if (document.querySelector("[data-live]")) {
          sign.hidden = false;
          timer = setTimeout(refresh, pause);
          document.addEventListener("visibilitychange", () => {
            clearTimeout(timer);
            if (!document.hidden) refresh();
          });
        }

        document.addEventListener("pointermove", event => {
          const shape = event.target.closest("rect");
          if (!shape) { tip.hidden = true; return; }
          const title = shape.querySelector("title");
          if (title) { shape.dataset.tip = title.textContent; title.remove(); }
          tip.hidden = !shape.dataset.tip;
          tip.textContent = shape.dataset.tip || "";
          tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
          tip.style.top = Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8) + "px";
        });

        """
}
