package reproduce

// reasons says why a section is missed, or met by much more than published,
// where that is known; a cause that has not been tested says so. Those of the thesis's chapter 6 are in agreement.go.
var reasons = map[string]string{
	"coshh figure 5":  coshhFairReason + " The reductions are larger than published: the slow resources hurt FIFO and Fair more here than in MRSim.",
	"coshh figure 6":  coshhFairReason,
	"coshh figure 25": coshhFairReason,
	"coshh table 6":   coshhLocalityReason,
	"coshh table 7":   coshhLocalityReason,
	"coshh table 8":   coshhLocalityReason,
	"coshh table 9":   coshhLocalityReason,
	"coshh figure 13": "Not verified: COSHH gives the small class few slow nodes until the load is high; with the storage rate calibrated at 100 jobs it overtakes Fair late.",
	"coshh figure 17": coshhResourcesReason,
	"coshh figure 18": coshhResourcesReason,

	"learning figure 8":  "An untrained classifier calls every task good here, so that the first run is too full instead of too empty; the paper does not say how its own began.",
	"learning figure 10": "Not verified: With a noisy load the rule confirms fewer decisions the nearer the node is to the limit, which is where the scheduler keeps it.",
	"learning figure 11": "The scheduler decides on a one-minute average that lags behind what it has just assigned, and overshoots where one task is half a node.",

	"omo figure 9":  "FRESH's map phase profits fully from twice the containers here; on the paper's machines it gained half as much.",
	"omo figure 10": "FRESH is faster here than on the paper's machines, see figure 9.",
	"omo figure 14": "Not verified: The makespan of a job of 20 GB is half the time of its two reduces, which does not grow with the number of jobs or of blocks.",
	"omo table 7":   "Not verified: On 40 nodes the disks are half as busy, so that dynamic containers gain less over fixed ones.",

	"coupling figure 11": "With heartbeats of 300 ms both exponents soon fill all slots; the paper's factor of two between them needs a rarer heartbeat.",
	"coupling figure 15": "Not verified: Fair waits up to 15 s for a local slot and so stays more local than either exponent.",
	"coupling table 4":   "Starvation depends on which job holds which of 14 reduce slots when; the order of the jobs agrees, single values do not.",

	"thesis table 5.2": "Real clusters spread reduces better than chance; the thesis's simulator and this one do not.",
}

const (
	coshhFairReason      = "Fair is faster than FIFO here: the paper blames its Fair for searching, sorting and sticky slots, which cost no simulated time."
	coshhLocalityReason  = "Not verified: Fast nodes use up their local blocks and then take those of slow ones, under FIFO and Fair; the published locality does not show that."
	coshhResourcesReason = "Not verified: The published rise beyond 57 resources comes from locality; reading over an idle 100 Mbit/s network costs too little here to show."
)
