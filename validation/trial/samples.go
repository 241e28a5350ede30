//go:build linux

package trial

// samples are inputs of kinds that no testdata folder has: mutated beside its
// files. The end of a name tells the readers.
var samples = map[string]string{
	"sample/rm.log": "2026-11-21 06:18:28,622 INFO RMAuditLogger: USER=a\tOPERATION=Submit Application Request\tRESULT=SUCCESS\tAPPID=application_1_0001\tQUEUENAME=q\n" +
		"2026-11-21 06:18:29,622 INFO RMAuditLogger: USER=a\tOPERATION=AM Allocated Container\tAPPID=application_1_0001\tCONTAINERID=container_1_0001_01_000001\tRESOURCE=<memory:256, vCores:1>\n" +
		"2026-11-21 06:18:31,002 INFO RMAuditLogger: USER=a\tOPERATION=AM Released Container\tAPPID=application_1_0001\tCONTAINERID=container_1_0001_01_000001\tRESOURCE=<memory:256, vCores:1>\n" +
		"2026-11-21 06:18:32,000 INFO ApplicationSummary: appId=application_1_0001,name=a\\,b,user=a,queue=root.q,state=FINISHED,submitTime=1795242108622,launchTime=1795242109000,finishTime=1795242112000,memorySeconds=700,vcoreSeconds=3\n",
	"sample/jobs.swf": "; Version: 2.2\n; UnixStartTime: 1795242108\n; MaxProcs: 64\n1 5 2 10 3 -1 -1 3 60 -1 1 7 1 4 2 -1 -1 -1\n2 9 0 100 8 90 1024 8 120 2048 1 8 1 4 1 -1 1 5\n",
	"sample/rest.json": `{"t_ms":1795242108000,"body":{"apps":{"app":[{"id":"application_1_1","user":"a","queue":"root.q","startedTime":1,"launchTime":2,"finishedTime":9000,"memorySeconds":8,"vcoreSeconds":2}]}}}
{"jobs":{"job":[{"id":"job_1_1","submitTime":1,"startTime":2,"finishTime":9000,"mapsTotal":1,"reducesTotal":1,"avgMapTime":5}]}}
{"tasks":{"task":[{"id":"task_1_1_m_000000","type":"MAP","state":"SUCCEEDED","startTime":1000,"finishTime":2000},{"id":"task_1_1_r_000000","type":"REDUCE","startTime":1000,"finishTime":8000}]}}
{"taskAttempts":{"taskAttempt":[{"id":"attempt_1_1_m_000000_0","type":"MAP","state":"SUCCEEDED","startTime":1000,"finishTime":2000,"rack":"/r","nodeHttpAddress":"h1:8042","assignedContainerId":"c"}]}}
`,
	"sample/nodes.json": `{"nodes":{"node":[{"rack":"/r","state":"RUNNING","id":"h1:1","nodeHostName":"h1","totalResource":{"memory":4096,"vCores":4}},{"rack":"/r","state":"RUNNING","id":"h2:1","nodeHostName":"h2","totalResource":{"memory":4096,"vCores":4}}]}}`,
	"sample/spark.jsonl": `{"Event":"SparkListenerLogStart","Spark Version":"3.4.1"}
{"Event":"SparkListenerApplicationStart","App Name":"a","App ID":"application_1_0001","Timestamp":1000,"User":"u"}
{"Event":"SparkListenerExecutorAdded","Timestamp":2000,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":2}}
{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":2100,"Stage IDs":[0]}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":0,"Index":0,"Attempt":0,"Launch Time":2200,"Executor ID":"1","Host":"h1","Locality":"ANY","Finish Time":2900}}
{"Event":"SparkListenerApplicationEnd","Timestamp":3000}
`,
	"sample/swim.tsv":       "job0\t49\t49\t740773\t2339561\t627471\njob1\t60\t11\t100\t0\t0\n",
	"sample/heartbeats.csv": "time,node,load1,cpus,cpu,memory,outcome\n1,h1,0.5,4,20,30,1\n2,h1,9,4,99,95,0\n3,h2,1,4,30,40,1\n",
}
