"""Optimisers on Gaussian processes, which need the environment of requirements-torch.txt."""

import math

import numpy as np
import torch

torch.set_num_threads(1)


def hebo(p):
    """HEBO with its defaults, eight points at a time as in the competition that it won
    (one at a time needs a model per point: hours of its own time per table)."""
    import pandas as pd
    from hebo.design_space.design_space import DesignSpace
    from hebo.optimizers.hebo import HEBO

    spec = []
    for name, d in zip(p.names(), p.dims):
        if d["kind"] == "float":
            spec.append({"name": name, "type": "num", "lb": 0.0, "ub": 1.0})
        elif d["kind"] == "int":
            spec.append({"name": name, "type": "int", "lb": 0, "ub": d["levels"] - 1})
        else:
            spec.append({"name": name, "type": "cat", "categories": list(range(d["levels"]))})
    np.random.seed(p.seed % 2**31)
    torch.manual_seed(p.seed % 2**31)
    opt = HEBO(DesignSpace().parse(spec), scramble_seed=p.seed % 2**31)
    p.clock()
    present = pd.DataFrame([dict(zip(p.names(), p.present))])[p.names()]
    opt.observe(present, np.array([[p.mean(p.present)]]))
    while True:
        asked = opt.suggest(n_suggestions=8)
        costs = [p.mean([row[n] for n in p.names()]) for _, row in asked.iterrows()]
        opt.observe(asked, np.array(costs).reshape(-1, 1))


def turbo(p):
    """TuRBO-1 (Eriksson and others, NeurIPS 2019) on BoTorch's model and Thompson
    sampling, with the figures of BoTorch's tutorial: batches of 4, 2 n points first,
    edge 0.8 from 2^-7 to 1.6, ten successes or max(1, n/4) failures."""
    torch.manual_seed(p.seed % 2**31)
    torch.set_default_dtype(torch.double)
    n, batch, least, most = len(p.dims), 4, 0.5**7, 1.6
    patience = math.ceil(max(4.0 / batch, n / batch))
    sobol = torch.quasirandom.SobolEngine(n, scramble=True, seed=p.seed % 2**31)
    import botorch.fit  # before the clock
    import botorch.generation
    import botorch.models

    p.clock()
    first = [torch.tensor([p.cube()])]
    while True:
        x = torch.cat(first + [sobol.draw(2 * n - len(first)).to(torch.double)])
        y = measured(p, x)
        length, won, lost = 0.8, 0, 0
        while length >= least:
            more = trust_region(x, y, length, batch)
            costs = measured(p, more)
            if costs.max() > y.max() + 1e-3 * abs(float(y.max())):
                won, lost = won + 1, 0
            else:
                won, lost = 0, lost + 1
            if won == 10:
                length, won = min(2.0 * length, most), 0
            elif lost == patience:
                length, lost = length / 2.0, 0
            x, y = torch.cat([x, more]), torch.cat([y, costs])
        first = []


def measured(p, x):
    """What TuRBO maximises."""
    return torch.tensor([[-p.mean(p.uncube(row.tolist()))] for row in x])


def trust_region(x, y, length, batch):
    """Thompson samples of a Gaussian process in a box around the best point."""
    from botorch.fit import fit_gpytorch_mll
    from botorch.generation import MaxPosteriorSampling
    from botorch.models import SingleTaskGP
    from gpytorch.constraints import Interval
    from gpytorch.kernels import MaternKernel, ScaleKernel
    from gpytorch.likelihoods import GaussianLikelihood
    from gpytorch.mlls import ExactMarginalLogLikelihood

    n = x.shape[1]
    scaled = (y - y.mean()) / y.std()
    kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=n, lengthscale_constraint=Interval(0.005, 4.0)))
    model = SingleTaskGP(x, scaled, covar_module=kernel, likelihood=GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3)),
                         outcome_transform=None)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    centre = x[scaled.argmax()].clone()
    weights = kernel.base_kernel.lengthscale.squeeze().detach()
    weights = weights / weights.mean()
    weights = weights / torch.prod(weights.pow(1.0 / n))
    low = torch.clamp(centre - weights * length / 2.0, 0.0, 1.0)
    high = torch.clamp(centre + weights * length / 2.0, 0.0, 1.0)
    many = min(5000, max(2000, 200 * n))
    drawn = torch.quasirandom.SobolEngine(n, scramble=True, seed=int(torch.randint(2**31, (1,)))).draw(many).to(torch.double)
    drawn = low + (high - low) * drawn
    moved = torch.rand(many, n) <= min(20.0 / n, 1.0)
    none = (moved.sum(dim=1) == 0).nonzero().flatten()
    moved[none, torch.randint(0, n, (len(none),))] = True
    candidates = centre.expand(many, n).clone()
    candidates[moved] = drawn[moved]
    with torch.no_grad():
        return MaxPosteriorSampling(model=model, replacement=False)(candidates, num_samples=batch)
