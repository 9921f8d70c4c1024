#pragma D option amin=Evolving/Evolving/Common
#pragma D attributes Unstable/Evolving/Common provider profile name
profile:::tick-1ms { }
