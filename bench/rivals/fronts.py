"""Optimisers of several objectives, in the unit cube of all coordinates."""

import numpy as np


def nsga2(p):
    """NSGA-II of pymoo with its defaults, a population of 100."""
    nsga2_of(p, 100)


def nsga2_small(p):
    """NSGA-II of pymoo with a population of 24."""
    nsga2_of(p, 24)


def nsga2_of(p, size):
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.evaluator import Evaluator
    from pymoo.core.problem import Problem as Space
    from pymoo.problems.static import StaticProblem

    n = len(p.dims)
    first = np.random.default_rng(p.seed).random((size, n))
    first[0] = p.cube()
    space = Space(n_var=n, n_obj=p.objectives, xl=np.zeros(n), xu=np.ones(n))
    algorithm = NSGA2(pop_size=size, sampling=first)
    algorithm.setup(space, termination=("n_gen", 10**6), seed=p.seed % 2**31, verbose=False)
    p.clock()
    while algorithm.has_next():
        asked = algorithm.ask()
        costs = np.array([p.means(p.uncube(x)) for x in asked.get("X")])
        Evaluator().eval(StaticProblem(space, F=costs), asked)
        algorithm.tell(infills=asked)


def mocma(p):
    """MO-CMA-ES of DEAP, ten parents and ten children, steps of 0.3 at first; a point
    outside the cube counts as the nearest one inside, and worse by the square of the
    distance in parts of the present's costs."""
    import random

    from deap import base, cma, creator

    np.random.seed(p.seed % 2**31)
    random.seed(p.seed)
    creator.create("Costs", base.Fitness, weights=(-1.0,) * p.objectives)
    creator.create("Individual", list, fitness=creator.Costs)
    n = len(p.dims)
    drawn = np.random.default_rng(p.seed).random((10, n))
    drawn[0] = p.cube()
    p.clock()
    scale = None
    parents = [creator.Individual(x) for x in drawn]
    for one in parents:
        costs = p.means(p.uncube(one))
        scale = scale or costs
        one.fitness.values = costs
    strategy = cma.StrategyMultiObjective(parents, sigma=0.3, mu=10, lambda_=10)
    while True:
        children = strategy.generate(creator.Individual)
        for one in children:
            inside = np.clip(one, 0.0, 1.0)
            outside = float(np.sum((np.array(one) - inside) ** 2))
            costs = p.means(p.uncube(inside))
            one.fitness.values = [c + outside * s for c, s in zip(costs, scale)]
        strategy.update(children)
