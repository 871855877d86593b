"""The paper's studies: settings -> many experiments -> tables, figures and a page.

How a study is added. Write a module with

* a :class:`~agdn.experiments.section.Section` of its own settings, each with a default and a line under Attributes
  (``agdn study NAME --set hops=[1,4]`` fills them; keys of a recipe, as ``--set training.epochs=100``, go to every
  experiment instead);
* ``cells(settings, changes)``: the experiments as a list of :class:`~agdn.studies.study.Cell`, made with
  :func:`~agdn.studies.study.cell_of` from a recipe; ``changes`` are the user's ``--set`` of recipe keys;
* optionally ``observe(trained)``: numbers, texts, lists or mappings of a finished run; computed once a run and kept in
  its folder;
* ``page(settings, outcomes)``: a :class:`~agdn.studies.page.Page` of what is finished, which may be a part of it;
  :mod:`agdn.studies.gathering` has means and curves over the seeds, :mod:`agdn.report.charts` the charts, and
  ``drawing`` there makes files of them;

and end it with ``STUDY = Study(...)``; with ``work="measure"`` time and memory of the cells are measured instead of
training them. Then add a line to the table in :mod:`agdn.studies.registry`. Running,
resuming, estimating and writing files is done by :mod:`agdn.studies.carrying_out`, :mod:`agdn.studies.estimate` and
:mod:`agdn.studies.page`; the tests walk the table.
"""
