"""The order of the queue: work that a person waits for comes before automatic scans of traces."""

from uuid import uuid4

from celery import current_app

from labeling.actions.jobs import send_task


def test_an_export_does_not_wait_for_the_hundreds_of_chunks_of_checks_that_an_import_began() -> None:
    queue = uuid4().hex  # for this test alone, in the real broker
    for chunk in range(20):
        send_task("worker.mark_traces", chunk, queue=queue)
    send_task("worker.run_export", 1, queue=queue)
    with current_app.connection_for_read() as connection, connection.channel() as channel:
        bound = current_app.amqp.queues[queue](channel)
        taken = []
        while message := bound.get(no_ack=True):
            taken.append(message.headers["task"])
        bound.delete()
    assert taken == ["worker.run_export", *["worker.mark_traces"] * 20]
