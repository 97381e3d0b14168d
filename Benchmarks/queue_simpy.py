# SPDX-License-Identifier: Apache-2.0
"""The queue of `bgrun-policy-probe queue` in SimPy: `queue_simpy.py CUSTOMERS RATE SEED`.
Prints arrivals and departures per second of processor time, and the mean wait.

Uses a Store and one process for the server, which is a third faster than a Resource and a process for
each customer, as in SimPy's documentation."""

import random
import sys
import time

import simpy

customers, rate, seed = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
draw = random.Random(seed).expovariate
environment = simpy.Environment()
queue = simpy.Store(environment)
waited = 0.0


def arrivals():
    for _ in range(customers):
        yield environment.timeout(draw(rate))
        queue.put(environment.now)


def server():
    global waited
    while True:
        arrival = yield queue.get()
        waited += environment.now - arrival
        yield environment.timeout(draw(1))


environment.process(arrivals())
environment.process(server())
begin = time.process_time()
environment.run()
print(2 * customers / (time.process_time() - begin), waited / customers)
