# SPDX-License-Identifier: Apache-2.0 OR 0BSD
import threading
import unittest
from unittest.mock import MagicMock

import handlers


def a_task(saved=None, **parameters):
    """A task that remembers what is asked of it."""
    task = MagicMock(parameters=parameters, expired=threading.Event())
    task.restore.return_value = saved
    task.should_defer.return_value = False
    return task


class CountTests(unittest.TestCase):
    def test_it_reports_each_piece_and_saves_it(self):
        task = a_task(pieces=3, milliseconds=0)
        self.assertEqual(handlers.count(task), "counted 3 of 3 pieces")
        self.assertEqual([call.args for call in task.progress.mock_calls], [(1, 3), (2, 3), (3, 3)])
        task.save.assert_called_with(3)

    def test_it_continues_where_it_was(self):
        task = a_task(saved=2, pieces=3, milliseconds=0)
        handlers.count(task)
        task.progress.assert_called_once_with(3, 3)

    def test_it_stops_when_the_time_is_revoked(self):
        task = a_task(pieces=3, milliseconds=60_000)
        task.expired.set()
        handlers.count(task)
        task.complete.assert_called_once_with(False, "stopped after 0 of 3 pieces")


if __name__ == "__main__":
    unittest.main()
