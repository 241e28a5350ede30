"""Drives one optimiser of others, unmodified, against a problem of the bench.

The bench (rival.go) starts this program once per repeat and talks to it in lines
of JSON over its standard input and output.

  bench:  {"optimiser", "seed", "budget", "seeds", "dims", "present", "objectives"}
  here:   {"ask": [x...], "on": [k...], "cpu": seconds}     one run per k
  bench:  {"values": [cost...]}  or  {"spent": true}
  here:   {"recommend": [x...]}                             no answer
  here:   {"done": true, "cpu": seconds}

A dimension is {"kind": "float"} from 0 to 1, {"kind": "int", "levels": n} or
{"kind": "cat", "levels": n}, with values from 0 to n-1. k counts the seeds that a
point may be measured on, from 0 to seeds-1: the same k is the same seed for every
point. Without "recommend" the bench takes the point with the best mean so far.
With several objectives a value is a list, and the bench takes all points whose means
no other's dominate.
"cpu" is the processor time of the optimiser alone since its modules were loaded.
"""

import json
import os
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LOKY_MAX_CPU_COUNT"):
    os.environ[name] = "1"

# Whatever a library prints goes to standard error.
LINES = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


class Spent(Exception):
    """The runs are spent."""


class Problem:
    """What the bench has sent, and the way to evaluate points."""

    def __init__(self):
        head = json.loads(sys.stdin.readline())
        self.optimiser = head["optimiser"]
        self.seed, self.budget, self.seeds = head["seed"], head["budget"], head["seeds"]
        self.dims, self.present = head["dims"], head["present"]
        self.objectives = head.get("objectives", 1)
        self.start = time.process_time()

    def clock(self):
        """Restart the processor time, after the modules are loaded."""
        self.start = time.process_time()

    def send(self, **line):
        print(json.dumps(line), file=LINES, flush=True)

    def plain(self, x):
        """A point in numbers that JSON knows."""
        return [float(v) if d["kind"] == "float" else int(v) for v, d in zip(x, self.dims)]

    def recommend(self, x):
        self.send(recommend=self.plain(x))

    def run(self, x, on):
        """Costs of a point on some of the seeds."""
        self.send(ask=self.plain(x), on=on, cpu=time.process_time() - self.start)
        answer = json.loads(sys.stdin.readline())
        if answer.get("spent"):
            raise Spent
        return answer["values"]

    def mean(self, x):
        """Mean cost of a point over all seeds."""
        values = self.run(x, list(range(self.seeds)))
        return sum(values) / len(values)

    def means(self, x):
        """Mean of each objective over all seeds."""
        values = self.run(x, list(range(self.seeds)))
        return [sum(column) / len(values) for column in zip(*values)]

    def cube(self):
        """The present configuration in the unit cube, levels in the middle of their part."""
        return [min(1.0, max(0.0, v)) if d["kind"] == "float" else (v + 0.5) / d["levels"]
                for v, d in zip(self.present, self.dims)]

    def uncube(self, u):
        """A point of the unit cube; ordered levels and categories have equal parts."""
        u = [min(1.0, max(0.0, float(v))) for v in u]
        return [v if d["kind"] == "float" else min(d["levels"] - 1, int(v * d["levels"]))
                for v, d in zip(u, self.dims)]

    def names(self):
        return ["x%d" % i for i in range(len(self.dims))]


def smac3(p):
    """SMAC3's random forest (its facade for hyperparameters), which chooses itself
    on how many of the seeds it measures a configuration."""
    from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer
    from smac import HyperparameterOptimizationFacade as Facade
    from smac import Scenario
    from smac.runhistory.dataclasses import TrialValue

    space = ConfigurationSpace(seed=p.seed)
    for name, d, v in zip(p.names(), p.dims, p.present):
        if d["kind"] == "float":
            space.add(Float(name, (0.0, 1.0), default=min(1.0, max(0.0, v))))
        elif d["kind"] == "int":
            space.add(Integer(name, (0, d["levels"] - 1), default=v))
        else:
            space.add(Categorical(name, list(range(d["levels"])), default=v))
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(space, deterministic=False, n_trials=p.budget, seed=p.seed, output_directory=folder)
        start = space.get_default_configuration()
        smac = Facade(scenario, lambda config, seed=0: 0.0, overwrite=True, logging_level=False,
                      intensifier=Facade.get_intensifier(scenario, max_config_calls=p.seeds),
                      initial_design=Facade.get_initial_design(scenario, additional_configs=[start]))
        p.clock()
        seeds = {}
        last = None
        while True:
            info = smac.ask()
            k = seeds.setdefault(info.seed, len(seeds) % p.seeds)
            cost = p.run([info.config[n] for n in p.names()], [k])[0]
            smac.tell(info, TrialValue(cost=cost), save=False)
            best = smac.intensifier.get_incumbent()
            if best is not None and best != last:
                last = best
                p.recommend([best[n] for n in p.names()])


def optuna_with(p, make, ordered):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    import warnings

    warnings.filterwarnings("ignore")
    present = dict(zip(p.names(), p.present))
    study = optuna.create_study(sampler=make(optuna, present))
    study.enqueue_trial(present)
    p.clock()
    while True:
        trial = study.ask()
        x = []
        for name, d in zip(p.names(), p.dims):
            if d["kind"] == "float":
                x.append(trial.suggest_float(name, 0.0, 1.0))
            elif d["kind"] == "int" or ordered:
                x.append(trial.suggest_int(name, 0, d["levels"] - 1))
            else:
                x.append(trial.suggest_categorical(name, list(range(d["levels"]))))
        study.tell(trial, p.mean(x))


def optuna_tpe(p):
    """Optuna's TPE with its defaults."""
    optuna_with(p, lambda optuna, present: optuna.samplers.TPESampler(seed=p.seed % 2**31), False)


def optuna_tpe_multivariate(p):
    """Optuna's multivariate TPE."""
    optuna_with(p, lambda optuna, present: optuna.samplers.TPESampler(
        seed=p.seed % 2**31, multivariate=True), False)


def optuna_cmaes(p):
    """Optuna's CMA-ES from the present configuration; categories are numbers to it."""
    optuna_with(p, lambda optuna, present: optuna.samplers.CmaEsSampler(
        x0=present, seed=p.seed % 2**31, with_margin=True), True)


def catcmawm(p):
    """CatCMAwM of the package cmaes, numbers from the present configuration."""
    import numpy as np
    from cmaes import CatCMAwM

    floats = [i for i, d in enumerate(p.dims) if d["kind"] == "float"]
    ints = [i for i, d in enumerate(p.dims) if d["kind"] == "int" and d["levels"] > 2]
    cats = [i for i, d in enumerate(p.dims) if d["kind"] != "float" and i not in ints]
    width = [1.0] * len(floats) + [p.dims[i]["levels"] - 1.0 for i in ints]
    # The mean stays off the borders, as the first variances follow from them.
    mean = [min(0.9, max(0.1, p.present[i])) for i in floats]
    mean += [min(0.9 * w, max(0.1 * w, p.present[i])) for i, w in zip(ints, width[len(floats):])]
    opt = CatCMAwM(
        x_space=[[0.0, 1.0]] * len(floats) or None,
        z_space=[list(range(p.dims[i]["levels"])) for i in ints] or None,
        c_space=[p.dims[i]["levels"] for i in cats] or None,
        mean=np.array(mean), sigma=1.0, cov=np.diag([(w / 5) ** 2 for w in width]), seed=p.seed % 2**31)
    p.clock()
    p.mean(p.present)
    while True:
        told = []
        for _ in range(opt.population_size):
            s = opt.ask()
            x = list(p.present)
            for i, v in zip(floats, s.x if floats else []):
                x[i] = float(min(1.0, max(0.0, v)))
            for i, v in zip(ints, s.z if ints else []):
                x[i] = int(v)
            for i, row in zip(cats, s.c if cats else []):
                x[i] = int(np.argmax(row))
            told.append((s, p.mean(x)))
        opt.tell(told)


def ngopt(p):
    """Nevergrad's NGOpt."""
    import nevergrad as ng

    kinds = {}
    for name, d, v in zip(p.names(), p.dims, p.present):
        if d["kind"] == "float":
            kinds[name] = ng.p.Scalar(init=min(0.999, max(0.001, v)), lower=0.0, upper=1.0)
        elif d["kind"] == "int":
            kinds[name] = ng.p.Scalar(init=v, lower=0, upper=d["levels"] - 1).set_integer_casting()
        else:
            kinds[name] = ng.p.Choice(list(range(d["levels"])))
    space = ng.p.Dict(**kinds)
    space.random_state.seed(p.seed % 2**31)
    opt = ng.optimizers.NGOpt(parametrization=space, budget=max(1, p.budget // p.seeds), num_workers=1)
    p.clock()
    p.mean(p.present)
    while True:
        asked = opt.ask()
        opt.tell(asked, p.mean([asked.value[n] for n in p.names()]))


def main():
    p = Problem()
    try:
        if p.optimiser in ("hebo", "turbo"):
            import gaussian as module
        elif p.objectives > 1:
            import fronts as module
        else:
            module = sys.modules[__name__]
        getattr(module, p.optimiser)(p)
    except (Spent, StopIteration):
        pass
    p.send(done=True, cpu=time.process_time() - p.start)


if __name__ == "__main__":
    main()
