BEGIN
{
	pcap(NULL, 0);
}
