"""Calibration: does a stated confidence behave like a probability, and does it discriminate?"""
