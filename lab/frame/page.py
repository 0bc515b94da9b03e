# SPDX-License-Identifier: Apache-2.0
"""Results as Markdown, for the pages of the documentation, and as one HTML page that fetches nothing."""
import html
import re

from . import machine, result as results, verdict


def markdown_table(head, rows):
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in [head, *rows]]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def counted(pairs):
    """The verdicts about published claims and about ours, counted apart."""
    lines = []
    for side, title in (("published", "Published claims"), ("ours", "Our claims")):
        kinds = [judged[side].kind for (experiment, _), judged in pairs if judged[side] and experiment.ROW]
        counts = [f"{kinds.count(kind)} {kind}" for kind in verdict.KINDS if kind in kinds]
        lines.append(f"{title}: {', '.join(counts) or 'none'}.")
    return " ".join(lines)


def rows_of(pairs):
    """A line a row: its number, what, the verdict on the published claim, and on ours."""
    def title(experiment, result):
        weak = results.weaknesses(experiment, result)
        loud = ", ".join(one for one in weak if one != results.OLDER)
        return experiment.TITLE + (f" ({loud})" if loud else "") + (" †" if results.OLDER in weak else "")
    return [[str(pair[0].ROW or ""), title(*pair), str(judged["published"] or ""), str(judged["ours"] or "")]
            for pair, judged in pairs]


def summary(measured):
    """The table of docs/lab.md, with the first figure of each verdict."""
    pairs = [((experiment, one), results.judged(experiment, one)) for experiment, one in measured]
    rows = [[cell.split("; ")[0] for cell in row] for row in rows_of(pairs)]
    older = f" † {results.OLDER}." if any("†" in row[1] for row in rows) else ""
    why = [f"- Row {one.ROW}: {re.match('.*?[.](?= |$)', judged['why'])[0]}" for (one, _), judged in pairs
           if judged["published"] and judged["published"].kind == verdict.REFUTED]
    table = markdown_table(["#", "what", "the published claim, here", "our claim, here"], rows)
    return "\n\n".join([counted(pairs) + older, table, "Why other figures were published:", "\n".join(why)])


def text(experiment, one):
    """A result for the terminal."""
    judged = results.judged(experiment, one)
    return "\n".join([f"{experiment.ROW or '-':>3}  {experiment.TITLE}", *(
        f"     {side + ':':10} {judged[side]}" for side in ("published", "ours") if judged[side])])


STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }
td { font-variant-numeric: tabular-nums }
th, td { border: 1px solid #8886; padding: .2rem .6rem; text-align: left; vertical-align: top }
dt { font-weight: 600 } dd { margin: 0 0 .5rem }
.confirmed { color: #17803d } .not-confirmed, .failed { color: #c02626 }
.undecided, .not-runnable-here { color: #a16207 }
"""


def cell(value):
    """Verdicts get the colour of their kind."""
    for kind in verdict.KINDS:
        if re.match(rf"{kind}\b", str(value)):
            return f'<td class="{kind.replace(" ", "-")}">{html.escape(str(value))}</td>'
    return f"<td>{html.escape(str(value))}</td>"


def html_table(head, rows):
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>\n" for row in rows)
    names = "".join(f"<th>{html.escape(str(one))}</th>" for one in head)
    return f"<table><thead><tr>{names}</tr></thead>\n{body}</table>"


def section(experiment, one):
    judged = results.judged(experiment, one)
    facts = [("Published by", experiment.SOURCE), ("They found", experiment.CLAIM),
             ("We claim", experiment.OURS), ("Measured", experiment.CONDITIONS),
             ("Why they differ", judged.get("why")), ("Where", results.where(one))]
    parts = [f'<h2 id="{experiment.NAME}">{html.escape(experiment.TITLE)}</h2>']
    parts.append(html_table(["row", "the published claim, here", "our claim, here"],
                            [[experiment.ROW or "-", judged["published"] or "", judged["ours"] or ""]]))
    parts.append("<dl>" + "".join(f"<dt>{title}</dt><dd>{html.escape(str(fact))}</dd>"
                                  for title, fact in facts if fact) + "</dl>")
    for table in judged["tables"]:
        parts.append(f"<h3>{html.escape(table['title'])}</h3>" + html_table(table["head"], table["rows"]))
    return "\n".join(parts)


def whole(measured, skipped=""):
    pairs = [((experiment, one), results.judged(experiment, one)) for experiment, one in measured]
    where = f"Measured on {machine.in_words(measured[0][1]['machine'])}." if measured else ""
    head = " ".join(filter(None, (counted(pairs), skipped, where)))
    return "\n".join([
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>threadclock lab</title>',
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src '
        '\'unsafe-inline\'">',
        f"<style>{STYLE}</style></head><body><h1>threadclock lab</h1><p>{html.escape(head)}</p>",
        "<p>Legacy: user time from /proc (JDK 8 to 25.0.4). VIRT: the raw clock (25.0.5, 26 to 28). Numbers "
        "in brackets are 95 % intervals over repetitions; a claim is confirmed or not only if the whole "
        "interval says "
        "so.</p>", html_table(["#", "what", "the published claim, here", "our claim, here"], rows_of(pairs)),
        *(section(experiment, one) for experiment, one in measured), "</body></html>\n"])
