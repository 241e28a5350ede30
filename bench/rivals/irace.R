# Drives irace, unmodified, as drive.py drives the others: see there for the lines.
# An instance is a seed. Until irace names its elite at the end, the configuration that
# is measured on the most seeds is recommended, of several the one with the best mean.

suppressPackageStartupMessages({library(irace); library(jsonlite)})
sink(stderr())
lines <- stdout()
from <- file("stdin", "r")
head <- fromJSON(readLines(from, 1), simplifyVector = FALSE)

kinds <- sapply(head$dims, function(d) d$kind)
levels <- sapply(head$dims, function(d) if (is.null(d$levels)) 0 else d$levels)
names <- sprintf("x%d", seq_along(kinds))
rows <- ifelse(kinds == "float", sprintf('%s "" r (0, 1)', names),
        ifelse(kinds == "int", sprintf('%s "" i (0, %d)', names, as.integer(levels - 1)),
               sprintf('%s "" c (%s)', names, sapply(levels, function(n) paste(seq_len(max(1, n)) - 1, collapse = ",")))))
parameters <- readParameters(text = paste(rows, collapse = "\n"), digits = 6)

start <- proc.time()[["user.self"]] + proc.time()[["sys.self"]]
cpu <- function() proc.time()[["user.self"]] + proc.time()[["sys.self"]] - start
# send writes beside the sink that keeps libraries' words off standard output.
send <- function(line) {
  sink()
  cat(toJSON(line, auto_unbox = TRUE, digits = 15), "\n", sep = "")
  flush(stdout())
  sink(stderr())
}
point <- function(configuration) {
  x <- as.numeric(unlist(lapply(names, function(n) as.character(configuration[[n]]))))
  as.list(ifelse(is.na(x), unlist(head$present), x))
}

told <- list() # by configuration: values, and the point
leader <- ""
runner <- function(experiment, scenario) {
  x <- point(experiment$configuration)
  send(list(ask = x, on = list(as.integer(experiment$id.instance) - 1L), cpu = cpu()))
  answer <- fromJSON(readLines(from, 1), simplifyVector = FALSE)
  if (!is.null(answer$spent)) {
    send(list(done = TRUE, cpu = cpu()))
    quit(status = 0)
  }
  id <- as.character(experiment$id.configuration)
  told[[id]] <<- list(x = x, values = c(told[[id]]$values, answer$values[[1]]))
  many <- sapply(told, function(t) length(t$values))
  means <- sapply(told, function(t) mean(t$values))
  means[many < max(many)] <- Inf
  best <- base::names(told)[which.min(means)]
  if (best != leader) {
    leader <<- best
    send(list(recommend = told[[best]]$x, cpu = cpu()))
  }
  list(cost = answer$values[[1]], time = 0)
}

folder <- tempfile()
dir.create(folder)
present <- file.path(folder, "present.txt")
write.table(setNames(data.frame(head$present), names), present, row.names = FALSE, quote = FALSE)
scenario <- defaultScenario(list(
  targetRunner = runner, instances = as.character(seq_len(head$seeds) - 1), maxExperiments = head$budget,
  deterministic = TRUE, seed = head$seed %% 2^31, configurationsFile = present,
  trainInstancesDir = "", trainInstancesFile = "", execDir = folder, logFile = "", digits = 6))
elites <- irace(scenario = scenario, parameters = parameters)
send(list(recommend = point(elites[1, ]), cpu = cpu()))
send(list(done = TRUE, cpu = cpu()))
