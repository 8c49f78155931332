package main

func Example_main() {
	main()
	// Output: distance 7
}
