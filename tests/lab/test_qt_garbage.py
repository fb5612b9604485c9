"""What tests leave of Qt is destroyed on the thread that made it."""

TESTS = """
    import gc
    import threading
    import weakref

    import pytest
    from PySide6.QtWidgets import QLabel

    ends = []

    class Window(QLabel):
        def __init__(self):
            super().__init__()
            self.me = self
            self.part = Part()
            # As signals hold lambdas: until the window is deleted, nothing of it is garbage.
            self.linkActivated.connect(lambda: self.part)


    class Part:
        def __init__(self):
            self.me = self
            weakref.finalize(self, lambda: ends.append(threading.current_thread().name))


    @pytest.fixture
    def window(qtbot):
        made = Window()
        qtbot.addWidget(made)
        return made


    def test_a_window_is_opened(window):
        window.show()


    def test_that_knows_nothing_of_it_has_a_thread():
        def work():
            kept = [[index] for index in range(50_000)]
            gc.isenabled() and gc.collect()

        worker = threading.Thread(target=work, name="core loop")
        worker.start()
        worker.join()
        assert "core loop" not in ends


    def test_it_is_gone_in_the_end():
        gc.collect()
        assert ends == ["MainThread"]
"""


def test_a_window_that_outlives_its_test_is_never_destroyed_on_another_thread(pytester_here):
    result = pytester_here(TESTS)

    result.assert_outcomes(passed=3)
