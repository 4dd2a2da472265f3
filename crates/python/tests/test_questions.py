"""The questions that every face answers alike: tests/questions.tsv of the repository."""

from pathlib import Path

from fanorona import Assessment, Tables, analyze, assess, build

from common import ROOT


def known(found: Assessment) -> str:
    """What is known, as the file has it."""
    dtw = "-" if found.dtw is None else found.dtw
    return f"{int(found.at_least)} {int(found.at_most)} {dtw} {found.source or '-'}"


def test_questions_have_the_answers_of_every_face(tmp_path: Path) -> None:
    asked = same = 0
    for line in (ROOT / "tests" / "questions.tsv").read_text().splitlines():
        kind, board, rules, *fields = line.split("\t")
        if kind == "tables":
            build(tmp_path, int(fields[0]), board, rules, metric=fields[1])
            continue
        position, nodes, *expected = fields
        tables = Tables(tmp_path, board, rules)
        found = analyze(position, rules, tables=tables, nodes=int(nodes), threads=1)
        assert found.ranking is not None
        turns = [f"{turn.turn.text} {known(turn)}" for turn in found.ranking]
        asked += 1
        if [known(found), *turns] == expected:
            same += 1
        else:
            print(board, rules, position, [known(found), *turns], expected, sep="\n")
        if found.nodes == 0:
            # It looks at the turns only for what it lacks.
            assessed = assess(position, rules, tables=tables)
            assert (assessed.value, assessed.source) == (found.value, found.source)
    print(f"Python: {same} of {asked} answers are equal")
    assert same == asked == 300
