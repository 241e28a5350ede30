package judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.zip.*;

/**
 * record KIND FIRST_SEED COUNT STEPS   random scenarios with the real scheduler's decisions, as JSON lines on standard output
 * bench NODES LEAVES APPS PER_NODE      containers allocated per second by the real scheduler alone (figure on standard error)
 * bench-rounds NODES LEAVES APPS PER_NODE what a look, a proposal and a commit of asynchronous scheduling cost
 * bench-fair NODES LEAVES APPS PER_NODE the same for the FairScheduler
 * load [FILE]                          says which configurations of a file's scenarios are refused; many a second
 * replay [FILE]                        plays the scenarios of a file (or standard input), writes them with fresh "out" fields
 */
public class Main {
  public static void main(String[] args) {
    try { run(args); System.exit(0); }
    catch (Throwable t) { t.printStackTrace(); System.exit(1); }
  }

  static void run(String[] args) throws Exception {
    PrintStream real = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
    System.setOut(System.err);
    org.apache.log4j.Logger.getRootLogger().setLevel(org.apache.log4j.Level.OFF);
    BufferedWriter w = new BufferedWriter(new OutputStreamWriter(real, StandardCharsets.UTF_8), 1 << 16);
    if (args[0].equals("record")) {
      long first = Long.parseLong(args[2]); int count = Integer.parseInt(args[3]); int steps = Integer.parseInt(args[4]);
      if (FairMain.mine(args[1])) FairMain.record(args[1], first, count, steps, w);
      else for (long seed = first; seed < first + count; seed++) {
        Generator g = Generator.of(args[1], seed);
        ObjectNode h = g.header();
        ObjectNode head = Judge.JSON.createObjectNode();
        head.put("scenario", args[1] + "-" + seed); head.put("hadoop", org.apache.hadoop.util.VersionInfo.getVersion());
        head.setAll(h);
        try (Judge j = new Judge(head)) {
          if (j.loadError != null) { head.put("rejected", j.loadError); w.write(head.toString()); w.newLine(); continue; }
          head.set("shape", j.shape());
          w.write(head.toString()); w.newLine();
          for (int i = 0; i < steps; i++) {
            ObjectNode s = g.next(j, i, steps);
            ObjectNode out;
            try { out = j.step(s); } catch (Judge.PolicyFailed e) { break; }
            s.set("out", out);
            w.write(s.toString()); w.newLine();
            if (j.endless || j.failed) break;
          }
        }
      }
    } else if (args[0].equals("bench-fair")) {
      FairBench.run(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]), Integer.parseInt(args[4]));
    } else if (args[0].equals("bench-rounds")) {
      RoundBench.run(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]), Integer.parseInt(args[4]));
    } else if (args[0].equals("bench")) {
      Bench.run(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]), Integer.parseInt(args[4]));
    } else {
      InputStream in = args.length > 1 ? new FileInputStream(args[1]) : System.in;
      if (args.length > 1 && args[1].endsWith(".gz")) in = new GZIPInputStream(in);
      BufferedReader r = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      if (args[0].equals("load")) { new Loader().run(r, w); w.flush(); return; }
      Judge j = null; FairJudge f = null;
      for (String line; (line = r.readLine()) != null; ) {
        if (line.isBlank()) continue;
        ObjectNode s = (ObjectNode) Judge.JSON.readTree(line);
        if (s.has("scenario")) {
          if (j != null) j.close();
          if (f != null) f.close();
          j = null; f = null;
          if (s.path("scheduler").asText().equals("fair")) { f = FairMain.start(s, w); continue; }
          s.remove("shape"); s.remove("rejected");
          j = new Judge(s);
          if (j.loadError != null) { s.put("rejected", j.loadError); } else s.set("shape", j.shape());
        } else if (f != null) { FairMain.play(f, s, w); continue;
        } else {
          s.remove("out");
          s.set("out", j.step(s));
        }
        w.write(s.toString()); w.newLine();
      }
      if (j != null) j.close();
      if (f != null) f.close();
    }
    w.flush();
  }
}
