/**
 * The style sheet of the page.
 */

/** Colours follow the reader's light or dark setting. */
export const style = `
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --ink: #1c2430; --soft: #5c6675; --line: #dfe3e8;
  --old: #c9dcf2; --new: #0b5cad; --fill: #0b5cad; --back: #c9dcf2; --delete: #b3361b; --schema: #7a5c00; }
@media (prefers-color-scheme: dark) { :root { --page: #11151b; --card: #1a2029; --ink: #e7ebf0; --soft: #9aa5b4;
  --line: #303946; --old: #23405f; --new: #7db8f7; --fill: #6aabf0; --back: #2a3f58; --delete: #ff8d6e; --schema: #e2bd4f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 48px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0 0 10px; }
p { margin: 0 0 12px; } .soft { color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin-top: 18px; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin-top: 18px; }
.facts div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.facts b { display: block; font-size: 22px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.facts span { color: var(--soft); font-size: 13px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 14px; margin-bottom: 6px; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 13px; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
td.wrap { white-space: normal; } tbody tr:last-child td { border-bottom: 0; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
code { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--soft); }
.axis { stroke: var(--line); stroke-width: 1; } .label { fill: var(--ink); }
.fragment { stroke: var(--new); stroke-width: 1; vector-effect: non-scaling-stroke; }
.bar { fill: var(--fill); } .back { fill: var(--back); } .delete { fill: var(--delete); } .schema { fill: var(--schema); }
.legend { display: inline-block; width: 90px; height: 10px; border-radius: 5px; vertical-align: middle;
  background: linear-gradient(90deg, var(--old), var(--new)); }
ul { margin: 0; padding-left: 20px; } li { margin-bottom: 6px; }
`
